# %% [markdown]
# # ResNet-50 on Eyeriss
# A layer can be cut into tiles, ordered and spread over processing elements in billions of ways.
# `inlay.map` finds the best one of every layer and says how good it is.

# %%
import inlay

# For a first look, the best of a few hundred mappings drawn at random. Without `strategy`, every layer
# is searched until it is proven that there is no better mapping: minutes for all of them.
look = inlay.map("resnet50", arch="eyeriss", strategy="random", search_size=300)
print(look)

# %% [markdown]
# The result has the fields of `result.json` as attributes. In a notebook, `look` alone in a cell is a
# table.

# %%
print(f"{look.total.energy_pj / 1e9:.2f} mJ, {look.total.cycles / 1e6:.1f} million cycles")

# %% [markdown]
# Where does the energy go? Five layers with the largest share:

# %%
layers = sorted(look.layers, key=lambda layer: -layer.cost.energy_pj * layer.repeat)
for layer in layers[:5]:
    share = layer.cost.energy_pj * layer.repeat / look.total.energy_pj
    print(f"{layer.name:16} {share:6.1%}  {layer.cost.pj_per_op:.2f} pJ per operation, "
          f"most of it in {layer.cost.most_energy_in}")

# %% [markdown]
# How good are these mappings? The exact search knows, here for one layer:

# %%
name = "conv2_1_3x3"
proven = inlay.map(f"resnet50/{name}", arch="eyeriss", time_limit="5min").layers[0]
drawn = next(layer for layer in look.layers if layer.name == name)
print(f"{name}: EDP {drawn.cost.edp:.4g} at random, {proven.cost.edp:.4g} {proven.certificate.status}, "
      f"{drawn.cost.edp / proven.cost.edp:.2f} times better")

# %% [markdown]
# A mapping reads as a loop nest: what each memory keeps, then the loops around the next one.

# %%
print("\n".join(proven.mapping))

# %% [markdown]
# `files` has the same for other programs; `save` writes all of them into a folder.

# %%
print(look.files[f"layers/{name}/map.txt"])
