import { Alert, Anchor, Button } from '@mantine/core'
import { IconAlertTriangle, IconLock, IconMail, IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { appRoute, spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { useSendsMail } from '#admin/lib/session.ts'
import { useCanInApp, useCanInSpace } from '#admin/lib/use-can.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { InvitationRow } from './invitation-row.tsx'
import classes from './invitations.module.css'
import { type InvitationPlace, invitationsQuery } from './invitations.queries.ts'
import { openInviteDialog } from './invite-dialog.tsx'

/** `/{p}/-/invitations` */
export function InvitationsPage() {
  const { p } = spaceRoute.useParams()
  const can = useCanInSpace(p)
  return <Invitations place={{ p }} mayInvite={can('member.manage')} />
}

/** `/{p}/{a}/-/invitations` */
export function AppInvitationsPage() {
  const { p, a } = appRoute.useParams()
  const can = useCanInApp(p, a)
  return <Invitations place={{ p, a }} mayInvite={can('app.manage')} />
}

export function Invitations({ place, mayInvite }: { place: InvitationPlace; mayInvite: boolean }) {
  const t = useTranslations('invitations')
  // For an app, the button is on the page of the app's members.
  const invite = mayInvite && place.a === undefined && (
    <Button
      leftSection={<IconUserPlus size={16} />}
      onClick={() => openInviteDialog({ p: place.p, title: t('invite') })}
    >
      {t('invite')}
    </Button>
  )
  return (
    <Page title={t('title')} description={place.a === undefined ? t('text') : t('appText')} actions={invite}>
      {mayInvite ? (
        <List place={place} />
      ) : (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('forbidden')}
          text={t('forbiddenText')}
        />
      )}
    </Page>
  )
}

function List({ place }: { place: InvitationPlace }) {
  const t = useTranslations('invitations')
  const { data, error, refetch } = useQuery(invitationsQuery(place))
  const invitations = data?.invitations
  if (!invitations)
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  return (
    <>
      {data.unsentMails > 0 && <UnsentMails p={place.p} count={data.unsentMails} />}
      {invitations.length === 0 ? (
        <NoInvitations />
      ) : (
        <ul className={classes.list} aria-label={t('title')}>
          {invitations.map((invitation) => (
            <InvitationRow key={invitation._id} place={place} invitation={invitation} />
          ))}
        </ul>
      )}
    </>
  )
}

function NoInvitations() {
  const t = useTranslations('invitations')
  const sendsMail = useSendsMail()
  return (
    <EmptyState
      icon={<IconMail size={36} stroke={1.4} aria-hidden="true" />}
      title={t('empty')}
      text={t(sendsMail ? 'emptyText' : 'emptyTextLink')}
    />
  )
}

/** Reports unsent mails. Links to the jobs if the caller sees jobs of other members. */
function UnsentMails({ p, count }: { p: string; count: number }) {
  const t = useTranslations('invitations')
  const can = useCanInSpace(p)
  return (
    <Alert color="red" variant="light" mb="md" icon={<IconAlertTriangle size={18} />}>
      {t('unsentMails', { count })}{' '}
      {can('space.update') && (
        <Anchor
          size="sm"
          c="inherit"
          renderRoot={(props) => <Link {...props} to="/$p/-/jobs" params={{ p }} />}
        >
          {t('toJobs')}
        </Anchor>
      )}
    </Alert>
  )
}
