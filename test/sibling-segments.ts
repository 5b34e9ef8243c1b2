/** A fixed segment of a path, and the parameter at the same position of another path. */
export interface Sibling {
  parameter: string
  segment: string
}

const isParameter = (segment: string) => /^(?:\$|:|\{)/.test(segment)
const nameOf = (segment: string) => segment.replace(/^[$:{]|\}$/g, '')

/** Returns every fixed segment that can be confused with a parameter (`$p`, `:p`, `{p}`) of another path. */
export function siblingSegments(paths: readonly string[]): Sibling[] {
  const byPlace = new Map<string, { parameters: Set<string>; segments: Set<string> }>()
  for (const path of paths) {
    const segments = path.split('/').filter(Boolean)
    segments.forEach((segment, index) => {
      // The name of a parameter does not affect the segments that it matches.
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
