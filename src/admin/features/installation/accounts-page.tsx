import { Badge, Button, Group, PasswordInput, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed, IconUserSearch } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { issueText } from '#admin/lib/errors.ts'
import { useSendsMail } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { Dialog } from '#admin/ui/dialog.tsx'
import { Explained } from '#admin/ui/explained.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Page } from '#admin/ui/page.tsx'
import { StateChip } from '#admin/ui/state-chip.tsx'
import { EmptyState } from '#admin/ui/states.tsx'
import type { ListedAccount } from '#shared/contract/installation.ts'
import { accountsKey, allAccountsQuery } from './installation.queries.ts'
import classes from './lists.module.css'
import { PagedList } from './paged-list.tsx'
import { type Column, ResponsiveTable } from './responsive-table.tsx'

/** `/admin/accounts`: all accounts of the installation. Admins can reset an account's second factor here. */
export function AccountsPage() {
  const t = useTranslations('installation.accounts')
  const format = useFormatter()
  const [resetting, setResetting] = useState<ListedAccount | null>(null)
  const day = (at: string) => format.dateTime(new Date(at), { dateStyle: 'medium' })
  const columns: Column<ListedAccount>[] = [
    { title: t('account'), cell: (account) => <Person account={account} /> },
    {
      title: t('factor'),
      cell: (account) => (
        <div className={classes.factor}>
          <StateChip
            color={account.hasSecondFactor ? 'mizu' : 'gray'}
            icon={account.hasSecondFactor ? IconCircleCheck : IconCircleDashed}
            text={t(account.hasSecondFactor ? 'on' : 'off')}
          />
          {account.hasSecondFactor && (
            <Button
              variant="subtle"
              color="red"
              size="compact-xs"
              aria-label={t('resetOf', { name: account.name || account.email })}
              onClick={() => setResetting(account)}
            >
              {t('reset')}
            </Button>
          )}
        </div>
      ),
    },
    { title: t('spaces'), kind: 'number', cell: ({ spaceCount }) => format.number(spaceCount) },
    {
      title: t('lastSeen'),
      kind: 'date',
      cell: ({ lastSeenAt }) => (lastSeenAt ? day(lastSeenAt) : t('never')),
    },
    { title: t('created'), kind: 'date', cell: ({ createdAt }) => day(createdAt) },
  ]
  return (
    <Page title={t('title')} description={t('text')}>
      <PagedList
        query={allAccountsQuery}
        searchLabel={t('search')}
        count={(count) => t('count', { count })}
        empty={() => (
          <EmptyState
            icon={<IconUserSearch size={36} stroke={1.4} aria-hidden="true" />}
            title={t('none')}
            text={t('noneText')}
          />
        )}
      >
        {(rows) => (
          <ResponsiveTable label={t('title')} columns={columns} rows={rows} keyOf={({ _id }) => _id} />
        )}
      </PagedList>
      {resetting && (
        <Dialog title={t('resetTitle')} onClose={() => setResetting(null)}>
          <Reset account={resetting} close={() => setResetting(null)} />
        </Dialog>
      )}
    </Page>
  )
}

function Person({ account }: { account: ListedAccount }) {
  const t = useTranslations('installation.accounts')
  const { name, email, isAdmin, emailVerified, provisioned } = account
  return (
    <>
      <div className={classes.name}>{name || email}</div>
      <Group gap={4}>
        {name && <span className={classes.detail}>{email}</span>}
        {isAdmin && <StateChip color="mizu" icon={IconCircleCheck} text={t('admin')} />}
        {provisioned && (
          <Explained text={t('provisionedText')}>
            <Badge variant="light" color="gray" tt="none">
              {t('provisioned')}
            </Badge>
          </Explained>
        )}
        {!provisioned && !emailVerified && (
          <Badge variant="light" color="gray" tt="none" fw={400}>
            {t('unverified')}
          </Badge>
        )}
      </Group>
    </>
  )
}

interface ResetProps {
  account: ListedAccount
  close: () => void
}

function Reset({ account, close }: ResetProps) {
  const t = useTranslations('installation.accounts')
  const common = useTranslations('common')
  const guest = useTranslations('accounts.guest')
  const sendsMail = useSendsMail()
  const queryClient = useQueryClient()
  const { field, problem, saving, formProps } = useEndpointForm(
    'POST /api/admin/account/{id}/resetSecondFactor',
    {
      values: { password: '' },
      params: { id: account._id },
      toBody: (values) => values,
      paths: { password: 'password' },
      codes: { IncorrectPassword: 'password' },
      check: ({ password }) => ({ password: password ? null : issueText({ code: 'Required' }) }),
      saved: async () => {
        toast.success(t('done'))
        close()
        await queryClient.invalidateQueries({ queryKey: accountsKey })
      },
    },
  )
  return (
    <form {...formProps}>
      <FormStack>
        <Text size="sm">
          {t('resetText', { name: account.name || account.email, sendsMail: String(sendsMail) })}
        </Text>
        <FormProblem text={problem} />
        <PasswordInput
          {...field('password')}
          label={t('password')}
          autoComplete="current-password"
          data-autofocus
          visibilityToggleButtonProps={{ 'aria-label': guest('showPassword') }}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={saving}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={saving} color="red.8">
            {t('resetTitle')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}
