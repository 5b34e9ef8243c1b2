import { useMemo, useState } from 'react'
import { issueAt, type PlacedIssue } from './issues.ts'

const nameOf = (key: string | null, property: string) => `${key ?? ''} ${property}`

/**
 * When to say what is wrong: at an input once it was left, at a whole field once its settings were closed, everywhere
 * once a save was tried.
 */
export function useTouched(issues: readonly PlacedIssue[], showAll: boolean) {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const touch = (key: string | null, property: string) =>
    setTouched((before) =>
      before.has(nameOf(key, property)) ? before : new Set(before).add(nameOf(key, property)),
    )
  const isTime = (key: string | null, property: string) =>
    showAll || touched.has(nameOf(key, '')) || touched.has(nameOf(key, property))
  // The same keys are the same set: a list that is drawn by it stays as it is.
  const brokenKeys = new Set(issues.flatMap(({ key }) => (key !== null && isTime(key, '') ? [key] : [])))
  const joinedKeys = [...brokenKeys].join('\n')
  const broken = useMemo(() => new Set(joinedKeys.split('\n')), [joinedKeys])
  return {
    touch,
    /** The settings of the field were closed. */
    touchField: (key: string) => touch(key, ''),
    visibleIssue(key: string | null, property: string): PlacedIssue | undefined {
      return isTime(key, property) ? issueAt(issues, key, property) : undefined
    },
    /** The keys of the fields that it is time to mark. */
    broken: broken as ReadonlySet<string>,
  }
}
