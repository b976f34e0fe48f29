// Bundles src/ into dist/report.html, the page that `inlay report` puts results into.
//   node build.mjs           writes it
//   node build.mjs --check   compares it with what is there, byte by byte; code 1 if it differs
import {readFile, writeFile, mkdir} from "node:fs/promises";
import {fileURLToPath} from "node:url";
import {build} from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const bundled = await build({
  entryPoints: [here("src/main.ts")],
  absWorkingDir: here("."),
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: ["es2022"],
  charset: "utf8",
  legalComments: "none",
  treeShaking: true,
});
const style = await build({
  entryPoints: [here("src/style.css")],
  absWorkingDir: here("."),
  bundle: true,
  minify: true,
  write: false,
  charset: "utf8",
});
const script = bundled.outputFiles[0].text.replaceAll("</script", "<\\/script");
const frame = await readFile(here("src/frame.html"), "utf8");
const page = frame
  .replace("/*style*/", () => style.outputFiles[0].text.trim())
  .replace("/*script*/", () => script.trim());

const target = here("dist/report.html");
if (process.argv.includes("--check")) {
  if ((await readFile(target, "utf8")) !== page) {
    console.error("web/report/dist/report.html is not what its sources give: npm run build in web/report");
    process.exit(1);
  }
} else {
  await mkdir(here("dist"), {recursive: true});
  await writeFile(target, page);
  console.log(`dist/report.html: ${page.length} characters`);
}
