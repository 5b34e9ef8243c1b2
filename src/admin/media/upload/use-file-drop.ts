import { useEffect, useRef, useState } from 'react'

type Take = (files: File[]) => void

/** The registered drop targets. The last one receives the files. */
const takers: { take: Take; over: (is: boolean) => void }[] = []

const bringsFiles = (event: DragEvent | ClipboardEvent) =>
  [...((event instanceof ClipboardEvent ? event.clipboardData : event.dataTransfer)?.types ?? [])].includes(
    'Files',
  )

/** Returns the files of a transfer without folders. */
function filesOf(data: DataTransfer | null): File[] {
  const items = [...(data?.items ?? [])].filter(({ kind }) => kind === 'file')
  return items.flatMap((item) => (item.webkitGetAsEntry?.()?.isDirectory ? [] : (item.getAsFile() ?? [])))
}

/** Returns whether the target is a text input, which handles pasted content itself. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea'))

/** Number of elements that the pointer has entered. `dragenter` and `dragleave` fire for each element. */
let depth = 0

function setOver(is: boolean): void {
  takers.at(-1)?.over(is)
}

function onEnter(event: DragEvent): void {
  if (!bringsFiles(event)) return
  depth++
  setOver(true)
}

function onOver(event: DragEvent): void {
  // Otherwise the browser would navigate to a dropped file.
  if (bringsFiles(event)) event.preventDefault()
}

function onLeave(event: DragEvent): void {
  if (!bringsFiles(event)) return
  depth = Math.max(0, depth - 1)
  if (depth === 0) setOver(false)
}

function onDrop(event: DragEvent): void {
  if (!bringsFiles(event)) return
  event.preventDefault()
  depth = 0
  setOver(false)
  const files = filesOf(event.dataTransfer)
  if (files.length > 0) takers.at(-1)?.take(files)
}

function onPaste(event: ClipboardEvent): void {
  if (!bringsFiles(event) || isTyping(event.target) || event.defaultPrevented) return
  const files = filesOf(event.clipboardData)
  if (files.length === 0) return
  event.preventDefault()
  takers.at(-1)?.take(files)
}

function listen(on: boolean): void {
  const change = on ? window.addEventListener : window.removeEventListener
  change('dragenter', onEnter as EventListener)
  change('dragover', onOver as EventListener)
  change('dragleave', onLeave as EventListener)
  change('drop', onDrop as EventListener)
  change('paste', onPaste as EventListener)
}

/**
 * Receives files that are dropped anywhere or pasted outside of inputs, while `enabled`. Returns whether files are
 * dragged over the page.
 */
export function useFileDrop(take: Take, enabled: boolean): boolean {
  const [over, setIsOver] = useState(false)
  const latest = useRef(take)
  latest.current = take
  useEffect(() => {
    if (!enabled) return
    const taker = { take: (files: File[]) => latest.current(files), over: setIsOver }
    if (takers.length === 0) listen(true)
    takers.push(taker)
    return () => {
      takers.splice(takers.indexOf(taker), 1)
      if (takers.length === 0) listen(false)
      setIsOver(false)
    }
  }, [enabled])
  return over
}
