import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { CopyButton } from '#admin/ui/copy-field.tsx'
import { Section } from '#admin/ui/section.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import classes from './recovery-codes.module.css'

interface RecoveryCodesProps {
  codes: string[]
  email: string
  done: () => void
}

/** Shows the recovery codes, which cannot be shown again. */
export function RecoveryCodes({ codes, email, done }: RecoveryCodesProps) {
  const t = useTranslations('secondFactor.codes')
  const [kept, setKept] = useState(false)
  const text = codes.join('\n')
  function save() {
    const url = URL.createObjectURL(new Blob([`Imori ${location.host} ${email}\n\n${text}\n`]))
    const link = Object.assign(document.createElement('a'), {
      href: url,
      download: 'imori-recovery-codes.txt',
    })
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 1000)
  }
  return (
    <Section title={t('newTitle')} description={t('newText')}>
      <UnsavedGuard when={!kept} />
      <Stack gap="md">
        <ol className={classes.codes} aria-label={t('title')}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
        <Group gap="xs">
          <Button variant="default" leftSection={<IconDownload size={16} />} onClick={save}>
            {t('download')}
          </Button>
          <CopyButton value={text} label={t('copy')} />
        </Group>
        <Text size="sm" c="dimmed">
          {t('once')}
        </Text>
        <Checkbox
          label={t('kept')}
          checked={kept}
          onChange={(event) => setKept(event.currentTarget.checked)}
        />
        <Group>
          <Button disabled={!kept} onClick={done}>
            {t('done')}
          </Button>
        </Group>
      </Stack>
    </Section>
  )
}
