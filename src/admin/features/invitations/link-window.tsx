import { Button, Group, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { modals } from '#admin/lib/modals.ts'
import { CopyField } from '#admin/ui/copy-field.tsx'

/** Shows the link of an invitation, which cannot be shown again later. */
export function showLink(title: string, url: string): void {
  const id = modals.open({ title, children: <LinkBody url={url} close={() => modals.close(id)} /> })
}

function LinkBody({ url, close }: { url: string; close: () => void }) {
  const t = useTranslations('invitations')
  return (
    <Stack gap="md">
      <Text size="sm">{t('linkOnce')}</Text>
      <CopyField label={t('linkLabel')} value={url} copyLabel={t('copyLink')} />
      <Group justify="flex-end">
        <Button onClick={close}>{t('done')}</Button>
      </Group>
    </Stack>
  )
}
