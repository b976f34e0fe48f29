# %% [markdown]
# # What stays on chip
# Between the nodes of a network, tensors that stay in a scratchpad need not travel to DRAM and back.
# `inlay.plan` decides which ones, where and when, and gives a bound on what any plan could reach.

# %%
import inlay

plan = inlay.plan("mobilenetv2", machine="onsram", time_limit=3)
print(plan)

# %%
saved = 1 - plan.offchip_bytes / plan.baseline.offchip_bytes
print(f"{saved:.0%} of the off-chip bytes are saved, "
      f"{plan.baseline.latency_us / plan.latency_us:.2f} times faster; "
      f"no plan is more than {plan.certificate.gap:.2%} better")

# %% [markdown]
# The longest stays: tensors that are used again much later, such as the inputs of residual additions.

# %%
stays = sorted(plan.residencies, key=lambda stay: stay["from"] - stay["to"])
for stay in stays[:5]:
    print(f"{stay.tensor:28} {stay.bytes:9} bytes at {stay.address:8} "
          f"during steps {stay['from']} to {stay['to']}")

# %% [markdown]
# How much memory is worth having? A machine is a dict (or a YAML file), so a sweep is a loop.


# %%
def machine(kib):
    return {
        "format": "inlay/1",
        "machine": {
            "name": f"{kib} KiB",
            "clock": "1 GHz",
            "units": {"core": {"peak": "1.5 TMAC/s"}},
            "memories": {"pad": {"size": f"{kib} KiB", "bandwidth": "512 B/cycle",
                                 "energy": "0.5 pJ/B", "alignment": "64 B",
                                 "reached_by": ["core"]}},
            "offchip": {"bandwidth": "32 GB/s", "energy": "20 pJ/B"},
        },
    }


for kib in (256, 512, 1024, 2048):
    plan = inlay.plan("mobilenetv2", machine=machine(kib), strategy="greedy")
    print(f"{kib:5} KiB  {plan.latency_us:8.1f} us  {plan.offchip_bytes / 2**20:5.2f} MiB off chip")
