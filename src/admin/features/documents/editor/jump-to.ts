import { useEffect } from 'react'
import { canReveal, reveal, whenThere } from '#admin/fields/nested/reveal.ts'
import { useAwaited } from '#admin/lib/use-awaited.ts'
import { typeOf } from '#shared/fields/index.ts'
import { withTabOf } from './document-fields.tsx'
import { type EditorContextValue, useEditor } from './editor-context.ts'
import { fieldElementId } from './field-editor.tsx'

/** Maximum time to wait for a page's editors to load, in milliseconds. */
const patience = 60_000

/**
 * Scrolls to the input at a path (`sections.2.data.title`) and focuses it. Opens the tab and the blocks that contain
 * the input.
 */
export function jumpTo(path: string, editor: EditorContextValue): void {
  const [uid = '', ...inside] = path.split('.')
  withTabOf(editor, uid, async () => {
    const element = await reveal(fieldElementId(uid, editor), inside.join('.'))
    if (!element) return
    // For a tall element, its start is more useful than its middle.
    const isTall = element.offsetHeight > window.innerHeight / 2
    if (isTall) (element.closest('[data-field-frame]') ?? element).scrollIntoView({ block: 'start' })
    else element.scrollIntoView({ block: 'center' })
    element.focus({ preventScroll: true })
  })
}

/**
 * Jumps to the path in the page's URL once its input is rendered, unless the user has pressed a key, clicked or typed
 * meanwhile.
 */
export function useJumpFromAddress(path: unknown): void {
  const editor = useEditor()
  const { ask, isAwaited } = useAwaited()
  useEffect(() => {
    if (typeof path !== 'string') return
    const field = editor.model.fields.find(({ uid }) => uid === path.split('.')[0])
    if (!field) return
    const id = fieldElementId(field.uid, editor)
    let isLeft = false
    ask()
    withTabOf(editor, field.uid, async () => {
      await whenThere(() => isLeft || document.getElementById(id), patience)
      if (isLeft || !isAwaited()) return
      jumpTo(field.uid, editor)
      if (!typeOf(field).nesting) return
      await whenThere(() => isLeft || canReveal(id) || null, patience)
      if (!isLeft && isAwaited()) jumpTo(path, editor)
    })
    return () => {
      isLeft = true
    }
  }, [path, editor, ask, isAwaited])
}
