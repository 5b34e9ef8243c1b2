/*
 * Draws the pictures of the shipped templates: `node scripts/template-pictures/index.mjs`. The results are stored as
 * WebP next to the templates.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { blog } from './blog.mjs'
import { business } from './business.mjs'
import { events } from './events.mjs'
import { portrait, portraits } from './portraits.mjs'
import { publications } from './publications.mjs'
import { shop } from './shop.mjs'

const folder = fileURLToPath(
  new URL('../../src/server/features/templates/shipped/pictures/', import.meta.url),
)
const largest = 60 * 1024

const scenes = { blog, shop, event: events, ...business, ...publications }

rmSync(folder, { recursive: true, force: true })
let total = 0
for (const [template, drawings] of Object.entries(scenes)) {
  mkdirSync(folder + template, { recursive: true })
  const faces = Object.entries(portraits[template] ?? {}).map(([name, person]) => [name, portrait(person)])
  for (const [name, { svg }] of [...Object.entries(drawings), ...faces]) {
    const bytes = await sharp(Buffer.from(svg)).webp({ quality: 82, effort: 6 }).toBuffer()
    if (bytes.length > largest)
      throw new Error(`${template}/${name} has ${bytes.length} bytes; the limit is ${largest}`)
    writeFileSync(`${folder}${template}/${name}.webp`, bytes)
    total += bytes.length
  }
}
console.log(`${total} bytes`)
