import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { isShown, subjectsOf } from '#shared/fields/conditions.ts'
import type { Field } from '#shared/fields/index.ts'
import { useEditor } from './editor-context.ts'

/** Returns whether the field's condition is met. Renders again when the result changes. */
export function useIsShown(field: Field): boolean {
  const { model, store } = useEditor()
  const asked = useMemo(
    () => subjectsOf(field, model.fields).map(({ subject }) => subject.uid),
    [field, model],
  )
  return useSyncExternalStore(
    useCallback(
      (listener) => {
        const stops = asked.map((uid) => store.subscribe(`value:${uid}`, listener))
        return () => {
          for (const stop of stops) stop()
        }
      },
      [store, asked],
    ),
    () => isShown(field, model.fields, ({ uid }) => store.get(uid)),
  )
}
