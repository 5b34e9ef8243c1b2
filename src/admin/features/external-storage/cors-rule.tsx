import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { CodeBlock } from '#admin/ui/code-block.tsx'
import { Section } from '#admin/ui/section.tsx'
import { corsRule, type Service } from './services.ts'

/** The CORS rule that a bucket needs for direct uploads from browsers. */
export function CorsRule({ service }: { service: Service }) {
  const t = useTranslations('externalStorage.cors')
  return (
    <Section title={t('title')} description={t('text')}>
      <Text size="sm">{t(`where.${service}`)}</Text>
      <CodeBlock code={corsRule(service, location.origin)} copyLabel={t('copy')} />
    </Section>
  )
}
