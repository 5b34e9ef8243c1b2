import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import classes from './diff-view.module.css'
import { type DiffLine, diffHtml } from './html-lines.ts'
import { canonicalHtml } from './html-loss.ts'

const signs = { same: ' ', removed: '−', added: '+' } as const

/** A line diff of two HTML texts. */
export function HtmlDiff({ before, after }: { before: string; after: string }) {
  const t = useTranslations('fields.richText.diff')
  const lines = diffHtml(canonicalHtml(before), canonicalHtml(after))
  if (!lines)
    return (
      <Text size="sm" c="dimmed">
        {t('tooLong')}
      </Text>
    )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the box must be scrollable without a mouse.
    <section className={classes.diff} aria-label={t('label')} tabIndex={0}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff do not change.
        <Line key={index} line={line} />
      ))}
    </section>
  )
}

function Line({ line }: { line: DiffLine }) {
  const t = useTranslations('fields.richText.diff')
  if (line.kind === 'skipped')
    return <div className={classes.skipped}>{t('skipped', { count: line.count })}</div>
  const Tag = line.kind === 'removed' ? 'del' : line.kind === 'added' ? 'ins' : 'div'
  return (
    <Tag className={classes.line} data-kind={line.kind}>
      <span aria-hidden="true">{signs[line.kind]}</span>
      <code>
        {line.pieces.map(({ text, own }, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line do not change.
          own ? <mark key={index}>{text}</mark> : text,
        )}
      </code>
    </Tag>
  )
}
