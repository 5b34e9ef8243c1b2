import { useState } from 'react'
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
  return {
    touch,
    /** The settings of the field were closed. */
    touchField: (key: string) => touch(key, ''),
    visibleIssue(key: string | null, property: string): PlacedIssue | undefined {
      return isTime(key, property) ? issueAt(issues, key, property) : undefined
    },
    broken: new Set(
      issues.flatMap(({ key }) => (key !== null && isTime(key, '') ? [key] : [])),
    ) as ReadonlySet<string>,
  }
}
