import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { appQuery, appRoleQuery } from '#admin/lib/queries.ts'
import { RoutePending } from './route-states.tsx'

/** Loaded lazily, because it needs the names of roles, which are part of the texts for editing. */
const JoinApp = lazyPart(async () => (await import('./join-app.tsx')).JoinApp, loadEditingTexts)

/**
 * The layout of all pages of an app. Users who have not joined the app and have no right in it see the page to join it
 * instead.
 */
export function AppEntrance() {
  const { p = '', a = '' } = useParams({ strict: false })
  const { data: app } = useQuery(appQuery(p, a))
  const { data: role } = useQuery(appRoleQuery(p, a))
  if (!app || !role || app.joined || role.rights.length > 0) return <Outlet />
  return (
    <Suspense fallback={<RoutePending />}>
      <JoinApp p={p} a={a} app={app} />
    </Suspense>
  )
}
