import { Skeleton } from '@mantine/core'
import { Suspense, useCallback, useDeferredValue, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import type { FieldInputProps } from '../field-props.ts'
import { FullScreenButton, FullScreenFrame } from '../full-screen.tsx'
import { parsedHtmlToText } from '../html-text.ts'
import type { NoticeContent } from '../notice.tsx'
import { CharacterCount } from '../text/one-text.tsx'
import { asEditorKeepsIt, canonicalHtml, lossOf } from './html-loss.ts'
import { RichTextEditor } from './rich-text-editor.tsx'

const SourceView = lazyPart(async () => (await import('./source-view.tsx')).SourceView)

/**
 * Shows the editor or the HTML source. The source is shown by choice, or because the editor would drop parts of the
 * text.
 */
export function RichTextField(props: FieldInputProps<'RICH_TEXT'>) {
  const { value, onChange, field } = props
  const t = useTranslations('fields.richText')
  const html = typeof value === 'string' ? value : ''
  const [mode, setMode] = useState<'editor' | 'source'>(() => (lossOf(html).length > 0 ? 'source' : 'editor'))
  const [notice, setNotice] = useState<NoticeContent | null>(null)
  /** Deferred, because counting parses the whole text and must not delay typing. */
  const counted = useDeferredValue(html)
  /** The value that this field last passed on or received. */
  const own = useRef(html)
  /** Whether the user has typed text since the editor was opened. */
  const written = useRef(false)

  const openSource = useCallback(() => setMode('source'), [])

  function change(next: string) {
    own.current = next
    onChange(next)
  }

  // A text from outside (a merge, a restored copy) may contain parts that the editor would drop on the next edit.
  useEffect(() => {
    if (html === own.current) return
    own.current = html
    if (lossOf(html).length > 0) setMode('source')
  }, [html])

  /**
   * Opens the editor. If that drops parts of the HTML, the reduced text becomes the value, and a notice offers to undo
   * this.
   */
  function openEditor() {
    const kept = asEditorKeepsIt(html)
    const lossy = !props.readOnly && canonicalHtml(kept) !== canonicalHtml(html)
    if (lossy) change(kept)
    written.current = false
    setNotice(lossy ? { text: t('converted'), action: { label: t('backToHtml'), run: goBack } } : null)
    setMode('editor')
  }

  /** Restores the original HTML. Asks for confirmation if the user has changed the text in the editor. */
  function goBack() {
    const restore = () => {
      change(html)
      setMode('source')
    }
    if (!written.current) restore()
    else
      confirm({
        title: t('goBack.title'),
        message: t('goBack.text'),
        action: t('backToHtml'),
        danger: true,
        run: async () => restore(),
      })
  }

  return (
    <FullScreenFrame
      name={field.name}
      foot={
        <>
          <CharacterCount value={parsedHtmlToText(counted)} limits={field} long />
          {mode === 'source' && <FullScreenButton />}
        </>
      }
    >
      {mode === 'editor' ? (
        <RichTextEditor
          {...props}
          onChange={(next) => {
            written.current = true
            change(String(next))
          }}
          onSource={openSource}
          firstNotice={notice}
        />
      ) : (
        <Suspense fallback={<Skeleton height={260} />}>
          <SourceView
            {...props}
            html={html}
            onChange={(next) => change(String(next))}
            onEditor={openEditor}
          />
        </Suspense>
      )}
    </FullScreenFrame>
  )
}
