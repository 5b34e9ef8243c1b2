import { createInterface } from 'node:readline'
import sharp from 'sharp'

/* Baseline: sharp alone. For every path on stdin, prints the time in ms for a WebP 1600 px wide on stdout. */

sharp.cache(false)
console.log('ready')
for await (const path of createInterface({ input: process.stdin })) {
  const begun = performance.now()
  await sharp(path).resize(1600).webp({ quality: 80 }).toBuffer()
  console.log(performance.now() - begun)
}
