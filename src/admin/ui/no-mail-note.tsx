import { Alert, Anchor } from '@mantine/core'
import { IconMailOff } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { useAccount } from '#admin/lib/session.ts'

/**
 * Explains that the server cannot send mail. Admins of the installation get a link to the page with the mails that were
 * not sent. `leave` is called when they follow the link.
 */
export function NoMailNote({ text, leave }: { text?: string; leave?: () => void }) {
  const t = useTranslations('common')
  const account = useAccount()
  return (
    <Alert color="mizu" variant="light" icon={<IconMailOff size={18} />}>
      {text ?? t('noMail')}{' '}
      {account?.isAdmin && (
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/admin/mails" onClick={leave} />}>
          {t('openMails')}
        </Anchor>
      )}
    </Alert>
  )
}
