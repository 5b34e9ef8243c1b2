import { useMemo, useState } from 'react'
import { afterPress, useAfterPress } from '#admin/lib/after-press.ts'
import { issueAt, type PlacedIssue } from './issues.ts'

const nameOf = (key: string | null, property: string) => `${key ?? ''} ${property}`

/**
 * Decides when issues are shown: at an input after blur, for a whole field after its settings were closed, everywhere
 * after a save failed because of issues.
 */
export function useTouched(allIssues: readonly PlacedIssue[], showAll: boolean) {
  const issues = useAfterPress(allIssues)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const touch = (key: string | null, property: string) =>
    afterPress(() =>
      setTouched((before) =>
        before.has(nameOf(key, property)) ? before : new Set(before).add(nameOf(key, property)),
      ),
    )
  const isTime = (key: string | null, property: string) =>
    showAll || touched.has(nameOf(key, '')) || touched.has(nameOf(key, property))
  // Memoised by content, so that equal keys do not render the list again.
  const brokenKeys = new Set(issues.flatMap(({ key }) => (key !== null && isTime(key, '') ? [key] : [])))
  const joinedKeys = [...brokenKeys].join('\n')
  const broken = useMemo(() => new Set(joinedKeys.split('\n')), [joinedKeys])
  return {
    touch,
    /** Called when the settings of the field were closed. */
    touchField: (key: string) => touch(key, ''),
    visibleIssue(key: string | null, property: string): PlacedIssue | undefined {
      return isTime(key, property) ? issueAt(issues, key, property) : undefined
    },
    /** The keys of the fields to mark as invalid. */
    broken: broken as ReadonlySet<string>,
  }
}
