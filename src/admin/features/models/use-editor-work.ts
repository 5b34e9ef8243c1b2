import { useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from '#admin/base/store.ts'
import { useReconnect } from '#admin/lib/use-reconnect.ts'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Edited } from './draft.ts'
import { isDirty } from './editor-state.ts'
import { type App, findIssues, ModelEditing, type ModelEditingPage, type Repeated } from './model-editing.ts'

/** Returns the kind of the edited object, and the uids of the app's models and custom types. */
export function useApp(kind: App['kind'], models: readonly Model[], customTypes: readonly CustomType[]): App {
  return useMemo(
    () => ({
      kind,
      modelUids: models.map(({ uid }) => uid),
      customTypeUids: customTypes.map(({ uid }) => uid),
    }),
    [kind, models, customTypes],
  )
}

const none: readonly Repeated[] = []

/**
 * Returns the editing session. `now`: the functions of the page's current render. `model` may become newer during
 * editing.
 */
export function useEditorWork(model: Edited, app: App, now: ModelEditingPage) {
  const page = useRef(now)
  page.current = now
  const [editing] = useState(
    () =>
      new ModelEditing(model, app, {
        plan: (uidBefore, body) => page.current.plan(uidBefore, body),
        send: (uidBefore, body) => page.current.send(uidBefore, body),
        saved: (next, uidBefore) => page.current.saved(next, uidBefore),
        failed: (error) => page.current.failed(error),
        read: (uid) => page.current.read(uid),
      }),
  )
  editing.app = app

  const { state, refused, ...status } = useStore(editing.status)
  const found = useMemo(() => findIssues(state, app), [state, app])
  // The server's issues apply only to the draft that was sent.
  const issues = useMemo(
    () => (refused && refused.draft === state.draft ? [...found, ...refused.issues] : found),
    [found, refused, state.draft],
  )
  const repeated = refused && refused.draft === state.draft ? refused.repeated : none
  const dirty = isDirty(state)

  // The model was saved elsewhere. Without unsaved changes, the new state is loaded.
  const isNewer = model.version > state.version && status.phase !== 'saving'
  useEffect(() => {
    if (isNewer && !dirty) editing.dispatch({ type: 'load', model })
  }, [isNewer, dirty, model, editing])

  useReconnect(status.phase === 'offline', () => void editing.save())
  return { ...status, editing, state, issues, repeated, dirty, isNewer }
}

export type ModelEditorWork = ReturnType<typeof useEditorWork>
