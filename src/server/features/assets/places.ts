import { type Field, typeOf } from '#shared/fields/index.ts'
import { joinPath, type StoredValues, walk } from '#shared/fields/walk.ts'

/**
 * A place in a document where an asset is used. `names` contains the names of the enclosing fields and of the field
 * itself, and the numbers of items, from 1.
 */
export interface PlaceOfAsset {
  /** The path as in validation issues, with indexes from 0: `sections.2.data.body`. */
  path: string
  names: (string | number)[]
}

/** Maximum number of places reported per document. */
const mostPlaces = 10

/**
 * Returns the first `mostPlaces` places where the values use the asset, in the order of the form. The custom types of
 * `fields` must be resolved. A null value counts as a use at an unknown place inside it.
 */
export function placesOfAsset(fields: Field[], values: StoredValues, assetId: string): PlaceOfAsset[] {
  const places: PlaceOfAsset[] = []
  const namesOf = new Map<string, (string | number)[]>([['', []]])
  walk({ fields }, values, ({ path, field, value }) => {
    const names = [...namesOfPart(path, namesOf), ...(field.name ? [field.name] : [])]
    namesOf.set(path, names)
    if (value === undefined) return
    if (value === null) places.push({ path, names })
    const { assetIds } = typeOf(field)
    if (!assetIds) return
    const items = Array.isArray(value) ? value : [value]
    items.forEach((item: unknown, index) => {
      if (typeof item !== 'string' || !assetIds(item).includes(assetId)) return
      places.push(
        Array.isArray(value)
          ? { path: joinPath(path, String(index)), names: [...names, index + 1] }
          : { path, names },
      )
    })
  })
  return places.slice(0, mostPlaces)
}

/**
 * Returns the names of the enclosing fields and the numbers of the enclosing items of a place. The number of an item
 * follows the name of its field.
 */
function namesOfPart(path: string, known: ReadonlyMap<string, (string | number)[]>): (string | number)[] {
  const around = path.split('.').slice(0, -1)
  const numbers: number[] = []
  for (;;) {
    const names = known.get(around.join('.'))
    if (names) return [...names, ...numbers]
    const part = around.pop() ?? ''
    if (/^\d+$/.test(part)) numbers.unshift(Number(part) + 1)
  }
}
