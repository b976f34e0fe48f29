// A result of `plan` with as many residencies as one likes: slots of two memories, each filled with
// one tensor after the other.
export function manyResidencies(count) {
  const steps = Math.max(64, Math.round(count / 5));
  const slots = 64;
  const room = 2 ** 21 / slots;
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const memories = ["pad0", "pad1"].map((name) => ({
    name,
    bytes: 2 ** 21,
    peak_bytes: 2 ** 21,
    peak_step: 1,
    mean_bytes: 2 ** 20,
  }));
  const residencies = [];
  for (const {name: memory} of memories) {
    const wanted = residencies.length + count / 2;
    const longest = Math.max(2, Math.floor((2 * steps * slots) / (count / 2)));
    for (let slot = 0; slot < slots; ++slot) {
      for (let from = 0; from < steps && residencies.length < wanted; ) {
        const to = Math.min(steps, from + 1 + Math.floor(random() * (longest - 1)));
        residencies.push({
          tensor: `tensor${residencies.length}`,
          memory,
          address: slot * room,
          bytes: Math.floor(room * (0.5 + random() / 2)),
          from,
          to,
        });
        from = to;
      }
    }
  }
  const figures = {latency_us: 2 * steps, offchip_bytes: 0, energy_pj: 1};
  const order = Array.from({length: steps}, (_, i) => `node${i}`);
  return {
    format: "inlay/result/1",
    command: "plan",
    version: "0.1.0",
    inputs: {},
    options: {},
    network: "many",
    machine: "two pads",
    bits: 16,
    weights_stay: false,
    ...figures,
    baseline: figures,
    memories,
    order,
    steps: order.map((node) => ({
      node,
      unit: "core",
      tiling: 0,
      latency_us: 1 + random(),
      offchip_bytes: 0,
      limited_by: "compute",
    })),
    residencies,
    transfers: [],
    measured: {seconds: 0, tables_seconds: 0, nodes: 0, threads: 1},
  };
}
