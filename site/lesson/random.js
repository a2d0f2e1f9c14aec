// The draws of the command line: its seeds by SHA-256, and NumPy's generator PCG64 with its whole numbers and permutations.
// Checked against NumPy by the tests of the site.

const [M32, M64, M128] = [(1n << 32n) - 1n, (1n << 64n) - 1n, (1n << 128n) - 1n];
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;

/** The first bits of the fractional parts of roots of the first primes, as FIPS 180-4 defines its constants.
 * @param {number} count @param {number} power */
function roots(count, power) {
  const primes = [];
  for (let n = 2; primes.length < count; n += 1) if (primes.every((p) => n % p)) primes.push(n);
  return Uint32Array.from(primes, (p) => (p ** power % 1) * 2 ** 32);
}

/** The first 64 bits of SHA-256 of a text shorter than 56 bytes, in the order of the bytes; browsers offer SHA-256 over
 * https only. @param {string} text @returns {[number, number]} */
function sha256Head(text) {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > 55) throw new Error(`a text of ${bytes.length} bytes; allowed: at most 55`);
  const block = new DataView(new ArrayBuffer(64));
  bytes.forEach((b, i) => block.setUint8(i, b));
  block.setUint8(bytes.length, 0x80);
  block.setUint32(60, 8 * bytes.length);
  const [k, start] = [roots(64, 1 / 3), roots(8, 1 / 2)];
  const turned = (x, n) => (x >>> n) | (x << (32 - n));
  const w = new Uint32Array(64);
  for (let i = 0; i < 64; i += 1) {
    if (i < 16) w[i] = block.getUint32(4 * i);
    else {
      const [x, y] = [w[i - 15], w[i - 2]];
      w[i] = w[i - 16] + (turned(x, 7) ^ turned(x, 18) ^ (x >>> 3)) + w[i - 7] + (turned(y, 17) ^ turned(y, 19) ^ (y >>> 10));
    }
  }
  let [a, b, c, d, e, f, g, h] = start;
  for (let i = 0; i < 64; i += 1) {
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i]) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  return [(start[0] + a) >>> 0, (start[1] + b) >>> 0];
}

/** The seed of one component of a run, as `pnet_lp.seeds.derive_seed`. @param {number} master @param {string} component */
function derivedSeed(master, component) {
  const head = new DataView(new ArrayBuffer(8));
  sha256Head(`${master}/${component}/0`).forEach((word, i) => head.setUint32(4 * i, word));
  return head.getBigUint64(0, true) >> 1n;
}

/** The state that NumPy's SeedSequence makes of a seed below 2^64: four words of 64 bits. @param {bigint} seed */
function spread(seed) {
  const words = [Number(seed & M32), Number(seed >> 32n), 0, 0];
  const stir = (x) => (x ^ (x >>> 16)) >>> 0;
  let factor = 0x43b0d7e5;
  const hashed = (value) => {
    const mixed = value ^ factor;
    factor = Math.imul(factor, 0x931e8875);
    return stir(Math.imul(mixed, factor));
  };
  const pool = words.map(hashed);
  for (let from = 0; from < 4; from += 1) {
    for (let to = 0; to < 4; to += 1) {
      if (from !== to) pool[to] = stir(Math.imul(0xca01f9dd, pool[to]) - Math.imul(0x4973f715, hashed(pool[from])));
    }
  }
  factor = 0x8b51f9dd;
  const state = Array.from({ length: 8 }, (_, i) => {
    const mixed = pool[i % 4] ^ factor;
    factor = Math.imul(factor, 0x58f38ded);
    return BigInt(stir(Math.imul(mixed, factor)));
  });
  return [0, 2, 4, 6].map((i) => state[i] | (state[i + 1] << 32n));
}

export class Random {
  /** @param {number} master a seed of the command line @param {string} component what is drawn, such as "traffic/fan" */
  constructor(master, component) {
    const [high, low, seriesHigh, seriesLow] = spread(derivedSeed(master, component));
    this.increment = ((((seriesHigh << 64n) | seriesLow) << 1n) | 1n) & M128;
    this.state = (this.increment + ((high << 64n) | low)) & M128;
    this.step();
    this.kept = null;
  }

  step() {
    this.state = (this.state * MULTIPLIER + this.increment) & M128;
  }

  /** 32 random bits: the low half of 64, then the high one. @returns {number} */
  bits() {
    if (this.kept !== null) {
      const kept = this.kept;
      this.kept = null;
      return kept;
    }
    this.step();
    const folded = (this.state >> 64n) ^ (this.state & M64);
    const turn = this.state >> 122n;
    const word = ((folded >> turn) | (folded << (64n - turn))) & M64;
    this.kept = Number(word >> 32n);
    return Number(word & M32);
  }

  /** A whole number from 0 to count - 1 (Lemire 2019). @param {number} count at most 2^20 @returns {number} */
  below(count) {
    if (count === 1) return 0;
    const rejected = (2 ** 32 - count) % count;
    for (;;) {
      // Below 2^52, so exact.
      const product = this.bits() * count;
      if (product % 2 ** 32 >= rejected) return Math.floor(product / 2 ** 32);
    }
  }

  /** A random order of 0 to count - 1; NumPy draws its exchanges by rejection. @param {number} count @returns {number[]} */
  permutation(count) {
    const order = [...Array(count).keys()];
    for (let i = count - 1; i > 0; i -= 1) {
      const mask = 2 ** (32 - Math.clz32(i)) - 1;
      let j = i + 1;
      while (j > i) j = (this.bits() & mask) >>> 0;
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }
}
