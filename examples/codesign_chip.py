# %% [markdown]
# # A chip for given layers
# How many registers, how much SRAM and how many processing elements should a chip have, if it may be
# as large as Eyeriss in the same technology? `inlay.codesign` chooses them together with the mappings.

# %%
import inlay

EYERISS_UM2 = 2363756
LAYERS = ["thistle-table2/resnet2", "thistle-table2/resnet12"]
common = {"technology": "thistle-45nm", "area": EYERISS_UM2, "semantics": "thistle"}

# %% [markdown]
# A chip of its own for each layer shows what is possible at best:

# %%
own = inlay.codesign(*LAYERS, **common)
print(own)

# %% [markdown]
# One chip has to run them all. How much does the compromise cost, and how much better is it than
# Eyeriss?

# %%
shared = inlay.codesign(*LAYERS, scope="network", baseline="thistle-eyeriss", **common)
chip = shared.architectures[0]
print("one chip:", dict(chip.attributes), f"{chip.area_um2:.0f} um2")
least = sum(architecture.total.energy_pj for architecture in own.architectures)
print(f"{chip.total.energy_pj / least - 1:.1%} more energy than a chip for each layer")
print(f"{shared.baseline.total.energy_pj / chip.total.energy_pj:.2f} times less than Eyeriss")
assert shared.certificate.status == "optimal"

# %% [markdown]
# Would a smaller chip do? Every point is proven, so the curve has no noise.

# %%
for share in (0.25, 0.5, 1.0):
    design = inlay.codesign(*LAYERS, scope="network", **{**common, "area": share * EYERISS_UM2})
    total = design.architectures[0].total
    print(f"{share:4.0%} of the area: {total.energy_pj / 1e9:.3f} mJ, {total.cycles} cycles")
