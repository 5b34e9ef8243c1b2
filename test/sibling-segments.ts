/** A fixed segment of an address, and the parameter that stands in its place in another address. */
export interface Sibling {
  parameter: string
  segment: string
}

const isParameter = (segment: string) => /^(?:\$|:|\{)/.test(segment)
const nameOf = (segment: string) => segment.replace(/^[$:{]|\}$/g, '')

/** Every fixed segment that a parameter (`$p`, `:p`, `{p}`) of another path could be taken for, or it for that. */
export function siblingSegments(paths: readonly string[]): Sibling[] {
  const byPlace = new Map<string, { parameters: Set<string>; segments: Set<string> }>()
  for (const path of paths) {
    const segments = path.split('/').filter(Boolean)
    segments.forEach((segment, index) => {
      // Which name a parameter has makes no difference to what it takes.
      const place = segments.slice(0, index).map((before) => (isParameter(before) ? '{}' : before))
      const at = byPlace.get(place.join('/')) ?? { parameters: new Set(), segments: new Set() }
      byPlace.set(place.join('/'), at)
      if (isParameter(segment)) at.parameters.add(nameOf(segment))
      else at.segments.add(segment)
    })
  }
  return [...byPlace.values()].flatMap(({ parameters, segments }) =>
    [...parameters].flatMap((parameter) => [...segments].map((segment) => ({ parameter, segment }))),
  )
}
