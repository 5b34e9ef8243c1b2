import { blog } from './blog.ts'
import { contact } from './contact.ts'
import { corporate } from './corporate.ts'
import { docs } from './docs.ts'
import { event } from './event.ts'
import { landing } from './landing.ts'
import { news } from './news.ts'
import { portfolio } from './portfolio.ts'
import { recruit } from './recruit.ts'
import { shop } from './shop.ts'
import type { ShippedTemplate } from './vocabulary.ts'

/** The built-in templates in display order. */
export const shippedTemplates: readonly ShippedTemplate[] = [
  blog,
  corporate,
  landing,
  news,
  shop,
  event,
  recruit,
  portfolio,
  docs,
  contact,
]
