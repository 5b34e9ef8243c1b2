import { Alert, Button, Stack, Text, Title } from '@mantine/core'
import { IconInfoCircle, IconMailOff } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { spacesQuery } from '#admin/lib/queries.ts'
import { setAccount, useAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { Mark } from '#admin/ui/mark.tsx'
import { useDocumentTitle } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { InvitationOffer } from '#shared/contract/invitations.ts'
import classes from './invitations.module.css'

const route = getRouteApi('/$p/invitation')

/** `/{p}/invitation?code=`: the space or app of an invitation. For visitors and for any signed-in account. */
export function InvitationPage() {
  const t = useTranslations('invitations.accept')
  useDocumentTitle(t('title'))
  const { code = '' } = route.useSearch()
  const account = useAccount()
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation', code],
    queryFn: async () => (await api('POST /api/invitation/look', { body: { code } })).invitation,
    retry: false,
  })
  const isOver = error instanceof ApiError && error.status === 400
  return (
    <main className={classes.screen}>
      <div className={classes.card}>
        <div className={classes.brand}>
          <Mark size={32} />
          Imori
        </div>
        {!data && !error && <SkeletonList rows={3} />}
        {data && <Offer offer={data} code={code} />}
        {isOver && (
          <EmptyState
            icon={<IconMailOff size={36} stroke={1.4} aria-hidden="true" />}
            title={t('over')}
            text={t('overText')}
            action={
              <Button
                variant="default"
                renderRoot={(props) => <Link {...props} to={account ? '/spaces' : '/login'} />}
              >
                {account ? t('toSpaces') : t('toLogin')}
              </Button>
            }
          />
        )}
        {!data && error && !isOver && <ErrorState error={error} retry={() => void refetch()} />}
      </div>
    </main>
  )
}

function Offer({ offer, code }: { offer: InvitationOffer; code: string }) {
  const t = useTranslations('invitations.accept')
  const format = useFormatter()
  const account = useAccount()
  const names = useRoleNames()
  const role = offer.roleName || names.nameOf(offer.roleId)
  const appRole = offer.appRoleId && (offer.appRoleName || names.nameOf(offer.appRoleId))
  const values = {
    name: offer.invitedBy ?? '',
    named: String(offer.invitedBy !== null),
    space: offer.space.name,
    app: offer.app?.name ?? '',
  }
  const date = format.dateTime(new Date(offer.expiresAt), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <>
      <Title order={1} size="h3" mb="sm">
        {t('heading', { space: offer.space.name })}
      </Title>
      <Text mb="md">{offer.app ? t('textApp', values) : t('text', values)}</Text>
      <div className={classes.facts}>
        <Text size="sm">{t('role', { role })}</Text>
        {offer.app && appRole && (
          <Text size="sm">{t('appRole', { app: offer.app.name, role: appRole })}</Text>
        )}
        <Text size="sm" c="dimmed">
          {t('until', { date })}
        </Text>
      </div>
      {offer.bySso ? (
        <BySso offer={offer} code={code} />
      ) : account ? (
        <Join offer={offer} code={code} />
      ) : (
        <AsGuest offer={offer} code={code} />
      )}
    </>
  )
}

/** Accepts the invitation for a signed-in account, with the invited address or another one. */
function Join({ offer, code }: { offer: InvitationOffer; code: string }) {
  const t = useTranslations('invitations.accept')
  const account = useAccount()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const isOther = offer.email !== null && offer.email.toLowerCase() !== account?.email.toLowerCase()
  const join = useMutation({
    mutationFn: () => api('POST /api/invitation/accept', { body: { code } }),
    onSuccess: async ({ project, app }) => {
      // Data of the space cached before joining is outdated.
      queryClient.removeQueries({ queryKey: ['space', project.uid] })
      await queryClient.invalidateQueries({ queryKey: spacesQuery().queryKey })
      toast.success(t('joined', { space: offer.space.name }))
      await (app
        ? navigate({ to: '/$p/$a', params: { p: project.uid, a: app.uid } })
        : navigate({ to: '/$p', params: { p: project.uid } }))
    },
  })
  const change = useMutation({
    mutationFn: () => api('POST /api/auth/logout', {}),
    onSuccess: () => {
      setAccount(null)
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'invitation' })
    },
  })
  const isMember = join.error instanceof ApiError && join.error.code === 'InvitedAccountAlreadyExists'
  return (
    <Stack gap="sm">
      <Text size="sm">{t('signedInAs', { email: account?.email ?? '' })}</Text>
      {isOther && (
        <Alert variant="light" color="orange" icon={<IconInfoCircle size={18} />}>
          {t('sentTo', { email: offer.email ?? '' })} {t('asOther')}
        </Alert>
      )}
      {join.error && (
        <Alert variant="light" color={isMember ? 'blue' : 'red'} role="alert">
          {isMember ? t('already') : errorText(join.error)}
        </Alert>
      )}
      {isMember ? (
        <Button renderRoot={(props) => <Link {...props} to="/$p" params={{ p: offer.space.uid }} />}>
          {t('open')}
        </Button>
      ) : (
        <Button size="md" loading={join.isPending} onClick={() => join.mutate()}>
          {t('join')}
        </Button>
      )}
      <Button variant="subtle" loading={change.isPending} onClick={() => change.mutate()}>
        {t('switch')}
      </Button>
    </Stack>
  )
}

/**
 * Offers visitors to sign up or sign in. Signing in returns to this page. Signing up accepts the invitation when the
 * account is created, and then opens the space or app.
 */
function AsGuest({ offer, code }: { offer: InvitationOffer; code: string }) {
  const t = useTranslations('invitations.accept')
  const back = `/${encodeURIComponent(offer.space.uid)}/invitation?code=${encodeURIComponent(code)}`
  const search = { redirect: back, 'invitation-code': code }
  return (
    <Stack gap="sm">
      <Text size="sm">{t('guest')}</Text>
      <Button size="md" renderRoot={(props) => <Link {...props} to="/sign-up" search={search} />}>
        {t('signUp')}
      </Button>
      <Button
        size="md"
        variant="default"
        renderRoot={(props) => <Link {...props} to="/login" search={search} />}
      >
        {t('logIn')}
      </Button>
    </Stack>
  )
}

/** A link to join by SSO. It is also shown to signed-in users, because the identity provider determines the account. */
function BySso({ offer, code }: { offer: InvitationOffer; code: string }) {
  const t = useTranslations('invitations.accept')
  const search = new URLSearchParams({ space: offer.space.uid, 'invitation-code': code })
  return (
    <Stack gap="sm">
      <Text size="sm">{t('sso')}</Text>
      <Button size="md" component="a" href={`/sso/login?${search}`}>
        {t('bySso')}
      </Button>
    </Stack>
  )
}
