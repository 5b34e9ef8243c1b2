import { Alert, List, Tabs, Text } from '@mantine/core'
import { IconPlayerPause } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { CodeBlock } from '#admin/ui/code-block.tsx'
import { CopyField } from '#admin/ui/copy-field.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { Form } from '#shared/contract/forms.ts'
import type { Language } from '#shared/languages.ts'
import { LanguageSwitch } from '../fields/localized-input.tsx'
import { FormFrame } from '../form-frame.tsx'
import { snippetKinds, snippets } from './snippets.ts'

/** `/{p}/-/forms/{form}/install` */
export function InstallPage() {
  return <FormFrame>{(form) => <Install form={form} />}</FormFrame>
}

/** The code for the pages of a site, generated from the fields of the form. */
export function Install({ form }: { form: Form }) {
  const t = useTranslations('forms.install')
  const names = useTranslations('forms.install.kinds')
  const uiLanguage = useLocale()
  const [language, setLanguage] = useState<Language>(uiLanguage)
  return (
    <>
      {!form.enabled && (
        <Alert color="orange" variant="light" icon={<IconPlayerPause size={18} />} mb="lg">
          {t('disabled')}
        </Alert>
      )}
      <Section
        title={t('title')}
        description={form.fields.length > 0 ? t('text') : t('textWithoutFields')}
        actions={<LanguageSwitch label={t('language')} value={language} onChange={setLanguage} />}
      >
        <Tabs defaultValue={snippetKinds[0]}>
          <Tabs.List aria-label={t('title')}>
            {snippetKinds.map((kind) => (
              <Tabs.Tab key={kind} value={kind}>
                {names(`${kind}.name`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {snippetKinds.map((kind) => (
            <Tabs.Panel key={kind} value={kind} pt="sm">
              <Text size="sm">{names(`${kind}.text`)}</Text>
              <CodeBlock code={snippets[kind](form, language)} copyLabel={t('copy')} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Section>
      <Section title={t('after.title')}>
        <List size="sm" spacing="xs">
          <List.Item>{t('after.html')}</List.Item>
          <List.Item>{t('after.fetch')}</List.Item>
          <List.Item>{t('after.inbox')}</List.Item>
        </List>
      </Section>
      <Section title={t('address')} description={t('addressText')}>
        <FormStack>
          <CopyField label={t('url')} value={form.url} copyLabel={t('copyUrl')} />
          <CopyField label={t('formId')} value={form.formId} copyLabel={t('copyFormId')} />
        </FormStack>
      </Section>
    </>
  )
}
