import { Skeleton } from '@mantine/core'
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { loadScript } from '#admin/base/reload-guard.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import type { FieldInputProps } from '../field-props.ts'
import type { NoticeContent } from '../notice.tsx'
import { CharacterCount } from '../text/one-text.tsx'
import { asEditorKeepsIt, canonicalHtml, lossOf } from './html-loss.ts'
import { RichTextEditor } from './rich-text-editor.tsx'
import { htmlToPlain } from './rich-text-preview.tsx'

const SourceView = lazy(async () => ({
  default: (await loadScript(() => import('./source-view.tsx'))).SourceView,
}))

/** The editor, or the HTML itself: by choice, or because the text holds what the editor would drop. */
export function RichTextField(props: FieldInputProps<'RICH_TEXT'>) {
  const { value, onChange, field } = props
  const t = useTranslations('fields.richText')
  const html = typeof value === 'string' ? value : ''
  const [mode, setMode] = useState<'editor' | 'source'>(() => (lossOf(html).length > 0 ? 'source' : 'editor'))
  const [notice, setNotice] = useState<NoticeContent | null>(null)
  /** Counting reads the whole text: not before the key is seen. */
  const counted = useDeferredValue(html)
  /** What this field itself said last. */
  const own = useRef(html)
  /** Has anything been written since the editor was opened? */
  const written = useRef(false)

  const openSource = useCallback(() => setMode('source'), [])

  function change(next: string) {
    own.current = next
    onChange(next)
  }

  // A text from outside (a merge, a restored copy) may hold what the editor would drop at the next key.
  useEffect(() => {
    if (html === own.current) return
    own.current = html
    if (lossOf(html).length > 0) setMode('source')
  }, [html])

  /** What the editor shows is what is kept from now on, and nothing is gone for good. */
  function openEditor() {
    const kept = asEditorKeepsIt(html)
    const lossy = !props.readOnly && canonicalHtml(kept) !== canonicalHtml(html)
    if (lossy) change(kept)
    written.current = false
    setNotice(lossy ? { text: t('converted'), action: { label: t('backToHtml'), run: goBack } } : null)
    setMode('editor')
  }

  /** Back to the HTML that was opened; asks when something was written since. */
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
    <>
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
      <CharacterCount value={htmlToPlain(counted)} limits={field} long />
    </>
  )
}
