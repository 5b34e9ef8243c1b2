import { useEffect, useRef, useState } from 'react'
import { currentAccount } from '#admin/lib/session.ts'
import type { EditorContextValue } from './editor-context.ts'
import {
  copiesOf,
  type FoundCopy,
  findCopies,
  heldKeys,
  holdKey,
  removeCopy,
  writeCopy,
} from './unsaved-copies.ts'
import { sameValue } from './values.ts'

/** A change is written to the browser's storage after this rest, in milliseconds. */
const writeDelay = 500

/**
 * Keeps what is not saved in this browser until it is, and finds what an earlier visit left behind.
 * `restore` puts the found copy on the screen, `dismiss` throws it away, `forget` this visit's own.
 */
export function useUnsavedCopy({ place, store, model, readOnly }: EditorContextValue) {
  const session = useRef(crypto.randomUUID())
  const [copies, setCopies] = useState<readonly FoundCopy[]>([])
  const found = copies[0] ?? null
  const key = useRef<string | null>(null)
  const { p, a, m } = place

  useEffect(() => {
    if (readOnly) return
    const base = () => copiesOf(currentAccount()?._id ?? '', { p, a, m }, store.document?.id ?? 'new')
    const own = `${base()}/${session.current}`
    key.current = own
    const letGo = holdKey(own)
    let timer: ReturnType<typeof setTimeout> | undefined

    function write() {
      clearTimeout(timer)
      timer = undefined
      // Given up on purpose: see forget.
      if (key.current === null) return
      if (!store.hasUnsaved()) {
        removeCopy(own)
        return
      }
      const { values, version } = store.snapshot()
      writeCopy(own, { values, version, at: Date.now() })
    }
    function soon() {
      timer ??= setTimeout(write, writeDelay)
    }
    function now() {
      if (timer !== undefined) write()
    }

    const stops = [
      ...model.fields.map((field) => store.subscribe(`value:${field.uid}`, soon)),
      store.subscribe('dirty', soon),
    ]
    addEventListener('pagehide', now)
    document.addEventListener('visibilitychange', now)

    let gone = false
    void heldKeys().then((alive) => {
      if (gone) return
      const differs = (copy: FoundCopy) =>
        Object.entries(copy.values).some(([uid, value]) => !sameValue(store.get(uid), value))
      const all = findCopies(base(), { own, alive })
      for (const copy of all) if (!differs(copy)) removeCopy(copy.key)
      setCopies(all.filter(differs))
    })

    return () => {
      gone = true
      now()
      letGo()
      for (const stop of stops) stop()
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
