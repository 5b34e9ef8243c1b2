import { Button, Group, Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { modals } from '#admin/lib/modals.ts'
import { toast } from '#admin/lib/toast.ts'
import { tell } from '#admin/ui/confirm.tsx'
import { CopyField } from '#admin/ui/copy-field.tsx'
import type { IssuedInvitation } from '#shared/contract/invitations.ts'

/**
 * Returns a function that shows how a new or renewed invitation reaches its recipient. It is mailed, or the user or an
 * admin of the installation has to pass on its link.
 */
export function useShowIssued(): (invitation: IssuedInvitation) => void {
  const t = useTranslations('invitations')
  return ({ email, url, isMailed }) => {
    if (email === null) showLink(t('linkReady'), t('linkOnce'), url ?? '')
    else if (isMailed) toast.success(t('sending', { email }))
    else if (url === null) tell({ title: t('notMailed'), message: t('notMailedText', { email }) })
    else showLink(t('notMailed'), t('notMailedLink', { email }), url)
  }
}

function showLink(title: string, text: string, url: string): void {
  const close = () => modals.close(id)
  const id = modals.open({ title, children: <LinkBody text={text} url={url} close={close} /> })
}

function LinkBody({ text, url, close }: { text: string; url: string; close: () => void }) {
  const t = useTranslations('invitations')
  return (
    <Stack gap="md">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {text}
      </Text>
      <CopyField label={t('linkLabel')} value={url} copyLabel={t('copyLink')} />
      <Group justify="flex-end">
        <Button onClick={close}>{t('done')}</Button>
      </Group>
    </Stack>
  )
}
