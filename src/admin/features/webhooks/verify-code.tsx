import { Tabs } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { CodeBlock } from '#admin/ui/code-block.tsx'
import { sampleLanguages, sampleNames, verifySamples } from './verify-samples.ts'

/** Shows code for receivers that verifies the signature of a request. */
export function VerifyCode() {
  const t = useTranslations('webhooks.key')
  return (
    <Tabs defaultValue={sampleLanguages[0]} mt="xs">
      <Tabs.List aria-label={t('verify')}>
        {sampleLanguages.map((language) => (
          <Tabs.Tab key={language} value={language}>
            {sampleNames[language]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {sampleLanguages.map((language) => (
        <Tabs.Panel key={language} value={language}>
          <CodeBlock code={verifySamples[language]} copyLabel={t('copyCode')} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
