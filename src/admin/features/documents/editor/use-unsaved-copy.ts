import { useEffect, useRef, useState } from 'react'
import { markKeptWork } from '#admin/lib/kept-work.ts'
import { currentAccount, subscribeToAccount } from '#admin/lib/session.ts'
import type { EditorContextValue } from './editor-context.ts'
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

/** A change is written to the browser's storage after this rest, in milliseconds. */
const writeDelay = 500

/**
 * Keeps what is not saved in this browser until it is, and finds what an earlier visit left behind.
 * `restore` puts the found copy on the screen, `dismiss` throws it away, `forget` this visit's own.
 */
export function useUnsavedCopy({ place, store, model, readOnly }: EditorContextValue) {
  const session = useRef(newSession())
  const [copies, setCopies] = useState<readonly FoundCopy[]>([])
  const found = copies[0] ?? null
  const [resumed, setResumed] = useState(false)
  const key = useRef<string | null>(null)
  const { p, a, m } = place

  useEffect(() => {
    if (readOnly) return
    const base = () => copiesOf(currentAccount()?._id ?? '', { p, a, m }, store.document?.id ?? 'new')
    let letGo: () => void = () => undefined
    let timer: ReturnType<typeof setTimeout> | undefined

    /** The key follows the document: a new one gets its `_id` when it is first saved. */
    function hold() {
      const next = `${base()}/${session.current}`
      if (next === key.current) return
      if (key.current !== null) removeCopy(key.current)
      key.current = next
      letGo()
      letGo = holdKey(next)
    }
    function write(resumes = false) {
      clearTimeout(timer)
      timer = undefined
      // Given up on purpose: see forget.
      if (key.current === null) return
      if (!store.hasUnsaved()) {
        removeCopy(key.current)
        setResumed(false)
        return
      }
      const { values, version } = store.snapshot()
      writeCopy(key.current, { values, version, at: Date.now(), ...(resumes ? { resumes } : {}) })
    }
    function soon() {
      timer ??= setTimeout(() => write(), writeDelay)
    }
    function now() {
      if (timer !== undefined) write()
    }

    hold()
    const stops = [
      ...model.fields.map((field) => store.subscribe(`value:${field.uid}`, soon)),
      store.subscribe('dirty', soon),
      store.subscribe('document', () => {
        if (key.current === null) return
        hold()
        soon()
      }),
    ]
    // The session has ended: the page goes to the log-in and comes back.
    const stopAccount = subscribeToAccount(() => {
      if (currentAccount() !== null || !store.hasUnsaved() || key.current === null) return
      write(true)
      markKeptWork()
    })
    addEventListener('pagehide', now)
    document.addEventListener('visibilitychange', now)

    let gone = false
    void heldKeys().then((alive) => {
      if (gone) return
      const differs = (copy: FoundCopy) =>
        model.fields.some(
          (field) =>
            field.uid in copy.values && !sameStored(field, store.get(field.uid), copy.values[field.uid]),
        )
      const all = findCopies(base(), { own: key.current ?? '', alive })
      for (const copy of all) if (!differs(copy)) removeCopy(copy.key)
      const [first, ...others] = all.filter(differs)
      if (first?.resumes && !store.hasUnsaved()) {
        store.restore(first.values, first.version)
        removeCopy(first.key)
        setResumed(true)
        setCopies(others)
      } else setCopies(first ? [first, ...others] : [])
    })

    return () => {
      gone = true
      now()
      letGo()
      for (const stop of stops) stop()
      stopAccount()
      removeEventListener('pagehide', now)
      document.removeEventListener('visibilitychange', now)
    }
  }, [p, a, m, store, model, readOnly])

  function done() {
    if (found) removeCopy(found.key)
    setCopies(copies.slice(1))
  }

  return {
    found,
    /** The work was put back on the screen after the session had ended. */
    resumed,
    closeResumed: () => setResumed(false),
    restore: () => {
      if (found) store.restore(found.values, found.version)
      done()
    },
    dismiss: done,
    forget: () => {
      if (key.current) removeCopy(key.current)
      key.current = null
    },
  }
}

/** Not `crypto.randomUUID`: that one is missing where the admin is opened over plain http. */
function newSession(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`
}
