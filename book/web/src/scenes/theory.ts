/** The laws and the model that a scene is held against; labs/theory/laws.py and queueing.py in
 * other letters. Seconds and rates a second; tests hold the two to each other. */

export interface Shop {
  D: number; // seconds on a core
  V: number; // seconds of waiting off the cores
  c: number; // cores
  W: number; // workers
  Z: number; // seconds between an answer and the next question
}

const ceiling = (units: number, seconds: number) => (seconds > 0 ? units / seconds : Infinity);

/** X <= min(N / (D+V+Z), c / D, W / (D+V)): `bound` of laws.py. */
export function bound(N: number, { D, V, c, W, Z }: Shop): number {
  return Math.min(ceiling(N, D + V + Z), ceiling(c, D), ceiling(W, D + V));
}

/** R >= max(D+V, N D / c - Z, N (D+V) / W - Z). */
export function responseBound(N: number, { D, V, c, W, Z }: Shop): number {
  return Math.max(D + V, (N * D) / c - Z, (N * (D + V)) / W - Z);
}

/** X of m requests that share c cores: `sharing` of queueing.py. */
export function sharing(m: number, { D, V, c }: Shop): number {
  if (V === 0) return ceiling(Math.min(m, c), D);
  if (D === 0) return m / V;
  const logs = [0];
  for (let k = 1; k <= m; k += 1) {
    logs.push(logs[k - 1]! + Math.log(((m - k + 1) * D) / (V * Math.min(k, c))));
  }
  const top = Math.max(...logs);
  let all = 0;
  let work = 0;
  logs.forEach((log, k) => {
    const weight = Math.exp(log - top);
    all += weight;
    work += weight * Math.min(k, c);
  });
  return work / D / all;
}

/** X of 1 .. most users, by `closed` of queueing.py; exact for W >= N, else within about 1 %. */
export function closed(most: number, shop: Shop): number[] {
  const { Z, W } = shop;
  const leaving: number[] = [];
  for (let k = 1; k <= most; k += 1) {
    leaving.push(k <= W ? sharing(k, shop) : leaving[k - 2]!);
  }
  if (Z === 0) return leaving;
  return leaving.map((_, index) => {
    const N = index + 1;
    if (shop.D + shop.V === 0) return N / Z;
    const logs = [0];
    for (let k = 1; k <= N; k += 1) {
      logs.push(logs[k - 1]! + Math.log((N - k + 1) / Z) - Math.log(leaving[k - 1]!));
    }
    const top = Math.max(...logs);
    let all = 0;
    let flow = 0;
    logs.forEach((log, k) => {
      const weight = Math.exp(log - top);
      all += weight;
      if (k > 0) flow += weight * leaving[k - 1]!;
    });
    return flow / all;
  });
}

/** X of so many users. */
export function throughput(N: number, shop: Shop): number {
  if (N < 1) return 0;
  if (shop.Z === 0) return sharing(Math.min(N, shop.W), shop);
  return closed(N, shop)[N - 1]!;
}
