import { z } from 'zod'
import { type FieldType, parsed, refused } from './field-type.ts'
import { isOnEarth, type Place, readPlace, writePlace } from './place.ts'

const placeSchema = z.strictObject({ lat: z.number(), lng: z.number() })
const settings = { defaultValue: placeSchema.nullish() }
const settingsSchema = z.object(settings)
export type MapSettings = z.infer<typeof settingsSchema>

/** A location, `{lat, lng}` in degrees. */
export const map = {
  type: 'MAP' as const,
  settings,
  canBeMultiple: false,
  canBeUnique: false,
  canBeTitle: false,
  comparison: () => 'none',
  searchable: false,
  // Sites receive no key if no location was chosen.
  empty: undefined,
  typeScript: () => '{ lat: number; lng: number }',
  parse(value) {
    if (value == null || value === '') return parsed<Place>(undefined)
    // The form sends the text that the user is typing.
    if (typeof value === 'string') return refused('InvalidFormat')
    const read = placeSchema.safeParse(value)
    if (!read.success) return refused()
    const place = { lat: read.data.lat + 0, lng: read.data.lng + 0 }
    return isOnEarth(place) ? parsed(place) : refused('InvalidValue')
  },
  rules: () => [],
  text: writePlace,
  settingsIssues: ({ defaultValue }) =>
    defaultValue && !isOnEarth(defaultValue) ? [{ path: 'defaultValue', code: 'InvalidValue' }] : [],
  from: {
    TEXT: (item) => {
      const place = readPlace(String(item))
      return place && { item: place, lossy: writePlace(place) !== String(item).trim() }
    },
  },
  into: {
    TEXT: (item) => {
      const { data: place } = placeSchema.safeParse(item)
      return place ? { item: writePlace(place) } : null
    },
  },
} satisfies FieldType<MapSettings, Place>
