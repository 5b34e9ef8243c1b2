import { contentful } from './contentful.ts'
import { csv } from './csv.ts'
import { directus } from './directus.ts'
import { ghost } from './ghost/ghost.ts'
import { json } from './json.ts'
import { markdown } from './markdown.ts'
import { microcms } from './microcms.ts'
import { newt } from './newt.ts'
import { sanity } from './sanity/sanity.ts'
import type { Source } from './source.ts'
import { strapi } from './strapi.ts'
import { wordpress } from './wordpress/wordpress.ts'

/** All supported sources in the order of detection: specific formats before general ones. */
export const sources: readonly Source[] = [
  wordpress,
  contentful,
  strapi,
  directus,
  sanity,
  microcms,
  ghost,
  newt,
  markdown,
  json,
  csv,
]
