import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Section } from '#admin/ui/section.tsx'
import type { Move } from '#shared/contract/moves.ts'
import classes from './moves.module.css'
import { SourcesSection } from './upload/sources-section.tsx'

/** The reasons why a file cannot be imported. For a file of unknown kind, also lists the kinds that can be imported. */
export function Refused({ move: { refusal } }: { move: Move }) {
  const t = useTranslations('moves.refused')
  if (!refusal) return null
  const { code, items, count } = refusal
  return (
    <>
      <Section title={t('title')} description={t(`codes.${code}`)}>
        {items.length > 0 && (
          <>
            <Text size="sm">{t('count', { count, shown: items.length })}</Text>
            <ul className={classes.problems}>
              {items.map(({ kind, what }) => (
                <li key={`${kind} ${what}`}>
                  <Text size="sm" component="span">
                    {t.has(`kinds.${kind}` as 'kinds.hash') ? t(`kinds.${kind}` as 'kinds.hash') : kind}{' '}
                  </Text>
                  <code>{what}</code>
                </li>
              ))}
            </ul>
          </>
        )}
      </Section>
      {code === 'unknownSource' && <SourcesSection />}
    </>
  )
}
