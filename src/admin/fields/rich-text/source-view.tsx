import type { EditorView } from '@codemirror/view'
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Dialog } from '#admin/ui/dialog.tsx'
import { afterComposition } from '../after-composition.ts'
import { readOnlyAs, readOnlyPart, replaceText } from '../code-view.ts'
import type { FieldInputProps } from '../field-props.ts'
import { applyHtmlPolicy, type Removal } from '../html-policy.ts'
import { HtmlDiff } from './diff-view.tsx'
import { withLineEnds, withoutLineEnds } from './html-lines.ts'
import { asEditorKeepsIt, canonicalHtml, lossOf } from './html-loss.ts'
import { createHtmlSource } from './html-source.ts'
import classes from './rich-text.module.css'

type SourceViewProps = FieldInputProps<'RICH_TEXT'> & { html: string; onEditor: () => void }

/**
 * The HTML source editor. It shows which parts the server will remove on save, or which parts the rich text editor
 * cannot represent.
 */
export function SourceView({ html, onEditor, ...props }: SourceViewProps) {
  const { readOnly } = props
  const t = useTranslations('fields.richText')
  const common = useTranslations('common')
  const settled = useDeferredValue(html)
  const { removed, loss } = useMemo(() => {
    const { removed, content } = applyHtmlPolicy(settled)
    const body = document.createElement('div')
    body.append(content)
    return { removed, loss: lossOf(body.innerHTML) }
  }, [settled])

  /** The HTML that the rich text editor would keep, while the confirmation is open; otherwise null. */
  const [kept, setKept] = useState<string | null>(null)

  function openEditor() {
    const kept = asEditorKeepsIt(html)
    if (readOnly || canonicalHtml(kept) === canonicalHtml(html)) {
      onEditor()
      return
    }
    setKept(kept)
  }

  return (
    <Stack gap="xs" data-source>
      {removed.length > 0 && (
        <Alert color="yellow" variant="light" role="status" icon={<IconAlertTriangle size={18} />}>
          {t('removal.title')} <RemovalList removals={removed} /> {t('removal.hint')}
        </Alert>
      )}
      {removed.length === 0 && loss.length > 0 && (
        <Alert color="blue" variant="light" icon={<IconInfoCircle size={18} />}>
          {t('loss')} <RemovalList removals={loss} />
        </Alert>
      )}
      <SourceText html={html} {...props} />
      <Group>
        <Button variant="default" size="xs" onClick={openEditor}>
          {t('toEditor')}
        </Button>
      </Group>
      {kept !== null && (
        <Dialog title={t('openLossy.title')} size="xl" onClose={() => setKept(null)}>
          <Stack gap="sm">
            <Text component="div" size="sm">
              {removed.length + loss.length > 0 ? t('openLossy.text') : t('openLossy.rewritten')}{' '}
              <RemovalList removals={[...removed, ...loss]} />
            </Text>
            <HtmlDiff before={html} after={kept} />
            <Text size="sm">{t('openLossy.back')}</Text>
            <Group justify="flex-end" gap="sm">
              <Button variant="default" data-autofocus onClick={() => setKept(null)}>
                {common('cancel')}
              </Button>
              <Button onClick={onEditor}>{t('openLossy.action')}</Button>
            </Group>
          </Stack>
        </Dialog>
      )}
    </Stack>
  )
}

function SourceText({ html, ...props }: FieldInputProps<'RICH_TEXT'> & { html: string }) {
  const { id, describedBy, readOnly, issues, onChange, onBlur, field } = props
  const t = useTranslations('fields.richText')
  const host = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<EditorView | null>(null)
  const known = useRef(html)
  const [hasOwnLines] = useState(() => withoutLineEnds(html) !== html)
  const shown = useCallback((kept: string) => (hasOwnLines ? kept : withLineEnds(kept)), [hasOwnLines])
  const callbacks = useRef({ onChange, onBlur })
  callbacks.current = { onChange, onBlur }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is created once; later changes are applied below.
  useEffect(() => {
    const made = createHtmlSource({
      doc: shown(known.current),
      readOnly,
      attributes: {
        id,
        'aria-label': t('sourceOf', { name: field.name }),
        ...(describedBy ? { 'aria-describedby': describedBy } : {}),
        ...(field.required ? { 'aria-required': 'true' } : {}),
      },
      onChange: (text) => {
        const next = hasOwnLines ? text : withoutLineEnds(text)
        known.current = next
        callbacks.current.onChange(next)
      },
      onBlur: () => callbacks.current.onBlur(),
    })
    host.current?.append(made.dom)
    setView(made)
    return () => made.destroy()
  }, [])

  useEffect(
    () => view?.dispatch({ effects: readOnlyPart.reconfigure(readOnlyAs(readOnly)) }),
    [view, readOnly],
  )

  // The response of a save may differ from the typed text.
  useEffect(() => {
    if (!view || html === known.current) return
    return afterComposition(view, () => {
      known.current = html
      replaceText(view, shown(html))
    })
  }, [view, html, shown])

  return (
    <div
      ref={host}
      className={classes.editor}
      data-grows="inside"
      data-invalid={issues.length > 0 || undefined}
    />
  )
}

/** Elements for which the admin has a common name. */
const named = [
  'iframe',
  'script',
  'style',
  'form',
  'video',
  'audio',
  'svg',
  'div',
  'figure',
  'details',
] as const

/** Lists removals as they appear in the HTML: `<iframe>`（埋め込み）, `<p class>`. */
function RemovalList({ removals }: { removals: readonly Removal[] }) {
  const t = useTranslations('fields.richText')
  return removals.map(({ element, attribute, property }, index) => {
    const known = attribute === undefined ? named.find((name) => name === element) : undefined
    const inside = [element, attribute].filter((part) => part !== undefined).join(' ')
    const text = property === undefined ? `<${inside}>` : `<${element} style="${property}">`
    return (
      <span key={text}>
        {index > 0 && t('removal.separator')}
        <Code>{text}</Code>
        {known && t('removal.named', { name: t(`elements.${known}`) })}
      </span>
    )
  })
}
