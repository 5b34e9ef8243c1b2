import { contentful } from './contentful.ts'
import { csv } from './csv.ts'
import { directus } from './directus.ts'
import { json } from './json.ts'
import { markdown } from './markdown.ts'
import { microcms } from './microcms.ts'
import { newt } from './newt.ts'
import type { Source } from './source.ts'
import { strapi } from './strapi.ts'
import { wordpress } from './wordpress.ts'

/** Everything that can be brought along, in the order in which it is looked for: what others might be taken for stands first. */
export const sources: readonly Source[] = [
  wordpress,
  contentful,
  strapi,
  directus,
  microcms,
  newt,
  markdown,
  json,
  csv,
]
