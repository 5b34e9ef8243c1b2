import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { AccountTabs } from '#admin/features/shell/account-tabs.tsx'
import { useAccount } from '#admin/lib/session.ts'
import { Page } from '#admin/ui/page.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { accountSecurityQuery } from './account-security.queries.ts'
import { DeleteSection } from './delete-section.tsx'
import { EmailSection } from './email-section.tsx'
import { IdentitiesSection } from './identities-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { SessionsSection } from './sessions-section.tsx'

/** `/account/security`: email address, password, sessions, and deletion of the account. */
export function SecurityPage() {
  const t = useTranslations('accountSecurity')
  const account = useAccount()
  const { data, error, refetch } = useQuery({
    ...accountSecurityQuery(account?._id ?? ''),
    enabled: account !== null,
  })
  if (!account) return null
  return (
    <Page title={t('title')} width="narrow">
      <AccountTabs />
      {!data && error && <ErrorState error={error} retry={() => void refetch()} />}
      {!data && !error && <SkeletonList rows={3} height={160} />}
      {data && (
        <>
          <EmailSection account={account} pending={data.emailChange} />
          <PasswordSection account={account} />
          <IdentitiesSection account={account} />
          <SessionsSection account={account} sessions={data.sessions} />
          <DeleteSection account={account} />
        </>
      )}
    </Page>
  )
}
