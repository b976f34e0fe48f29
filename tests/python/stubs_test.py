"""The type stub says what the package has."""

import ast
import inspect
import pathlib
import unittest

import inlay

FOLDER = pathlib.Path(inlay.__file__).parent
STUB = ast.parse((FOLDER / "__init__.pyi").read_text(encoding="utf-8"))


def parameters_of(function):
    """[(name, kind, default)] of a function of the stub; a default is None or what it evaluates to."""
    arguments = function.args
    kinds = inspect.Parameter
    found = []
    plain = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    for argument, default in zip(plain, defaults):
        found.append((argument.arg, kinds.POSITIONAL_OR_KEYWORD, default))
    if arguments.vararg:
        found.append((arguments.vararg.arg, kinds.VAR_POSITIONAL, None))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        found.append((argument.arg, kinds.KEYWORD_ONLY, default))
    return [(name, kind, kinds.empty if default is None else ast.literal_eval(default))
            for name, kind, default in found]


def annotations_of(function):
    arguments = function.args
    every = arguments.args + arguments.kwonlyargs + ([arguments.vararg] if arguments.vararg else [])
    return [argument.annotation for argument in every if argument.arg != "self"]


class StubsTest(unittest.TestCase):
    def test_functions_have_the_real_signatures(self):
        functions = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
        real = {name: value for name, value in vars(inlay).items() if inspect.isfunction(value)}
        self.assertEqual(set(functions), set(real))
        for name, function in functions.items():
            signature = inspect.signature(real[name])
            self.assertEqual(parameters_of(function),
                             [(parameter.name, parameter.kind, parameter.default)
                              for parameter in signature.parameters.values()], name)
            self.assertTrue(all(annotations_of(function)) and function.returns, name)

    def test_classes_have_the_real_methods_and_bases(self):
        classes = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
        real = {name: value for name, value in vars(inlay).items() if inspect.isclass(value)}
        self.assertEqual(set(classes), set(real))
        for name, node in classes.items():
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    self.assertTrue(hasattr(real[name], member.name), f"{name}.{member.name}")
                    value = inspect.getattr_static(real[name], member.name)
                    if inspect.isfunction(value):
                        self.assertEqual([argument.arg for argument in member.args.args],
                                         list(inspect.signature(value).parameters), member.name)
            public = {key for key in vars(real[name]) if not key.startswith("_")}
            told = {member.name if isinstance(member, ast.FunctionDef) else member.target.id
                    for member in node.body if not isinstance(member, ast.Expr)}
            self.assertEqual(public - told - {"count", "index"}, set(), name)

    def test_values_that_are_choices_are_told(self):
        text = ast.unparse(next(node for node in STUB.body if getattr(node, "name", "") == "map"))
        self.assertIn("Literal['exact', 'random', 'dnnopt', 'gp']='exact'", text.replace(" = ", "="))

    def test_the_package_says_that_it_has_types(self):
        self.assertTrue((FOLDER / "py.typed").exists())


if __name__ == "__main__":
    unittest.main()
