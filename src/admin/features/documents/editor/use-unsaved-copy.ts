import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { markKeptWork } from '#admin/lib/kept-work.ts'
import { currentAccount, subscribeToAccount } from '#admin/lib/session.ts'
import { knownCustomTypes } from '../documents.queries.ts'
import type { LeftValue } from './carry-values.ts'
import type { EditorContextValue } from './editor-context.ts'
import { fitCopies } from './fit-copies.ts'
import { type FormFields, fieldsOf, formFields } from './form-fields.ts'
import { sameStored } from './same-stored.ts'
import {
  copiesOf,
  type FoundCopy,
  findCopies,
  heldKeys,
  holdKey,
  removeCopy,
  writeCopy,
} from './unsaved-copies.ts'
import type { Values } from './values.ts'

/** Delay in milliseconds before a change is written to the browser's storage. */
const writeDelay = 500

/** Input that restoring a copy has overwritten. */
interface Replaced {
  input: FoundCopy
  copy: FoundCopy
  /** The form's earlier values, of the fields in the copy. */
  values: Values
  left: readonly LeftValue[]
  /** The version that was saved when the input was replaced. null: the document was new. */
  savedVersion: number | null
}

/** State that a form takes over from the form that it replaces. */
export interface CopyStart {
  /** The session id of the replaced form. The new form continues it and uses the same copy. */
  session: string
  left: readonly LeftValue[]
}

/**
 * Stores unsaved input in this browser until it is saved, and finds copies of earlier visits. `restore` applies the
 * found copy, `dismiss` deletes it. `forget` deletes this visit's own copy, `keep` stores it immediately. `replaced`:
 * input that restoring has overwritten. `undoRestore` swaps it back, `closeReplaced` deletes it. `left`: values without
 * a field, kept until `dropLeft`.
 */
export function useUnsavedCopy({ place, store, model, readOnly }: EditorContextValue, start?: CopyStart) {
  const session = useRef(start?.session ?? newSession())
  const [left, setLeft] = useState<readonly LeftValue[]>(start?.left ?? [])
  const leftNow = useRef(left)
  const [copies, setCopies] = useState<readonly FoundCopy[]>([])
  const hasUnsaved = useSyncExternalStore(
    useCallback((listener) => store.subscribe('dirty', listener), [store]),
    () => store.hasUnsaved(),
  )
  // Each copy of a new document is a separate document, so none is offered while a new document is being written.
  const found = store.document === null && hasUnsaved ? null : (copies[0] ?? null)
  const [resumed, setResumed] = useState(false)
  const [replaced, setReplaced] = useState<Replaced | null>(null)
  const key = useRef<string | null>(null)
  const writeNow = useRef<() => void>(() => undefined)
  const { p, a, m } = place
  const baseIn = useCallback(
    (m: string) => copiesOf(currentAccount()?._id ?? '', { p, a, m }, store.document?.id ?? 'new'),
    [p, a, store],
  )
  // The key contains the model's `_id`, which is stable. Earlier Imori versions used the model's uid.
  const base = useCallback(() => baseIn(model._id), [baseIn, model])

  const changeLeft = useCallback((next: readonly LeftValue[]) => {
    leftNow.current = next
    setLeft(next)
    writeNow.current()
  }, [])
  /** Applies a copy and deletes it. Its values are stored in this visit's own copy instead. */
  const takeBack = useCallback(
    (copy: FoundCopy) => {
      store.restore(copy.values, copy.version)
      changeLeft([...leftNow.current, ...(copy.left ?? [])])
      removeCopy(copy.key)
    },
    [store, changeLeft],
  )

  const closeReplaced = useCallback(() => {
    if (replaced) removeCopy(replaced.input.key)
    setReplaced(null)
  }, [replaced])
  // A save deletes the overwritten input. If the form became clean in another way, that input is kept.
  useEffect(() => {
    const version = store.document?.sys.version ?? null
    if (replaced && !hasUnsaved && version !== replaced.savedVersion) closeReplaced()
  }, [hasUnsaved, replaced, closeReplaced, store])

  useEffect(() => {
    if (readOnly) return
    /** The form's fields when its input was first stored. */
    let form: FormFields | null = null
    let letGo: () => void = () => undefined
    let timer: ReturnType<typeof setTimeout> | undefined

    /**
     * Locks the key of this visit's copy. The key changes, for example, when a new document receives its `_id` on the
     * first save.
     */
    function hold() {
      const next = `${base()}/${session.current}`
      if (next === key.current) return
      // The offered copies were found for the earlier key.
      if (key.current !== null) setCopies([])
      if (key.current !== null) removeCopy(key.current)
      key.current = next
      letGo()
      letGo = holdKey(next)
    }
    function write(resumes = false) {
      clearTimeout(timer)
      timer = undefined
      // The copy was discarded on purpose, by `forget`.
      if (key.current === null) return
      const hasUnsaved = store.hasUnsaved()
      if (!hasUnsaved) setResumed(false)
      if (!hasUnsaved && leftNow.current.length === 0) {
        removeCopy(key.current)
        return
      }
      const { values, version } = hasUnsaved ? store.snapshot() : { values: {}, version: null }
      form ??= formFields(model, knownCustomTypes({ p, a, m }))
      writeCopy(key.current, {
        values,
        version,
        at: Date.now(),
        ...(resumes ? { resumes } : {}),
        ...(form ? { form: fieldsOf(form, Object.keys(values)) } : {}),
        ...(leftNow.current.length > 0 ? { left: leftNow.current } : {}),
      })
    }
    function soon() {
      timer ??= setTimeout(() => write(), writeDelay)
    }
    function now() {
      if (timer !== undefined) write()
    }

    writeNow.current = write
    hold()
    if (store.hasUnsaved() || leftNow.current.length > 0) write()
    const stops = [
      ...model.fields.map((field) => store.subscribe(`value:${field.uid}`, soon)),
      store.subscribe('dirty', soon),
      store.subscribe('document', () => {
        if (key.current === null) return
        hold()
        write()
      }),
    ]
    // The session has ended: the page redirects to the login and returns after it.
    const stopAccount = subscribeToAccount(() => {
      if (currentAccount() !== null || !store.hasUnsaved() || key.current === null) return
      write(true)
      markKeptWork()
    })
    addEventListener('pagehide', now)
    document.addEventListener('visibilitychange', now)

    let gone = false
    const startBase = base()
    const differs = (copy: FoundCopy) =>
      (copy.left ?? []).length > 0 ||
      model.fields.some(
        (field) =>
          field.uid in copy.values && !sameStored(field, store.get(field.uid), copy.values[field.uid]),
      )
    const offer = async () => {
      const alive = await heldKeys()
      const kept = [startBase, baseIn(m)].flatMap((one) => findCopies(one, { own: key.current ?? '', alive }))
      const all = await fitCopies(kept, model, { p, a, m })
      if (gone || base() !== startBase) return
      for (const copy of all) if (!differs(copy)) removeCopy(copy.key)
      const [first, ...others] = all.filter(differs)
      if (first?.resumes && !store.hasUnsaved()) {
        takeBack(first)
        setResumed(true)
        setCopies(others)
      } else setCopies(first ? [first, ...others] : [])
    }
    // If reading the copies fails, the next visit offers them.
    void offer().catch(() => undefined)

    return () => {
      gone = true
      now()
      letGo()
      for (const stop of stops) stop()
      stopAccount()
      writeNow.current = () => undefined
      removeEventListener('pagehide', now)
      document.removeEventListener('visibilitychange', now)
    }
  }, [base, baseIn, takeBack, store, model, readOnly, p, a, m])

  /** Stores the input that restoring `copy` would overwrite, as a separate copy. null: nothing would be overwritten. */
  function keepReplaced(copy: FoundCopy): FoundCopy | null {
    const { values, version } = store.snapshot()
    const replaced = model.fields.filter(
      (field) =>
        store.dirtyFields().includes(field.uid) &&
        field.uid in copy.values &&
        !sameStored(field, values[field.uid], copy.values[field.uid]),
    )
    if (replaced.length === 0) return null
    const uids = replaced.map(({ uid }) => uid)
    const form = formFields(model, knownCustomTypes(place))
    const kept: FoundCopy = {
      key: `${base()}/${newSession()}`,
      values: Object.fromEntries(uids.map((uid) => [uid, values[uid]])),
      version,
      at: Date.now(),
      ...(form ? { form: fieldsOf(form, uids) } : {}),
    }
    writeCopy(kept.key, kept)
    return kept
  }

  const valuesNow = (copy: FoundCopy) =>
    Object.fromEntries(Object.keys(copy.values).map((uid) => [uid, store.get(uid)]))

  function done() {
    if (found) removeCopy(found.key)
    setCopies(copies.slice(1))
  }

  return {
    session: session.current,
    found,
    left,
    dropLeft: () => changeLeft([]),
    /** Whether input was restored automatically because the session had ended. */
    resumed,
    closeResumed: () => setResumed(false),
    restore: () => {
      if (!found) return
      const input = keepReplaced(found)
      const savedVersion = store.document?.sys.version ?? null
      setReplaced(input ? { input, copy: found, values: valuesNow(found), left, savedVersion } : null)
      takeBack(found)
      // Input that an earlier restored copy had overwritten is offered again.
      setCopies([...copies.slice(1), ...(replaced ? [replaced.input] : [])])
    },
    dismiss: done,
    replaced: replaced?.input ?? null,
    closeReplaced,
    undoRestore: () => {
      if (!replaced) return
      // The copy is offered again, together with input typed since it was restored.
      const copy = { ...replaced.copy, values: valuesNow(replaced.copy) }
      writeCopy(copy.key, copy)
      store.undoRestore(replaced.values, replaced.input.version)
      changeLeft(replaced.left)
      closeReplaced()
      setCopies([copy, ...copies])
    },
    keep: () => writeNow.current(),
    forget: () => {
      if (key.current) removeCopy(key.current)
      key.current = null
    },
  }
}

/** Returns a random id. `crypto.randomUUID` is missing over plain http. */
function newSession(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`
}
