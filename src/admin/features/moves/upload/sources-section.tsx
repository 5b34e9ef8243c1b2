import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Section } from '#admin/ui/section.tsx'
import { moveSources } from '#shared/contract/move-plans.ts'
import classes from '../moves.module.css'

/** Lists the files that can be uploaded, and where to get them. */
export function SourcesSection() {
  const t = useTranslations('moves.sources')
  return (
    <Section title={t('title')} description={t('text')}>
      <dl className={classes.sources}>
        {(['imori', ...moveSources] as const).map((source) => (
          <div key={source}>
            <dt>{t(`names.${source}`)}</dt>
            <Text component="dd" size="sm" c="dimmed">
              {t.rich(`how.${source}`, {
                code: (command) => <code className={classes.command}>{command}</code>,
              })}
            </Text>
          </div>
        ))}
      </dl>
    </Section>
  )
}
