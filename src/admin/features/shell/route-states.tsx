import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Suspense } from 'react'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { ApiError } from '#admin/lib/api.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import classes from '#admin/ui/page.module.css'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'

const SpaceRefused = lazyPart(
  async () => (await import('./space-refused.tsx')).SpaceRefused,
  loadEditingTexts,
)
const refusals = [
  'IpAddressNotAllowed',
  'SessionIsTooOld',
  'SecondFactorRequired',
  'SsoRequired',
  'UsualSignInRequired',
] as const

/**
 * The error page of a route: why the space's security settings refuse the user, or the error with a button to retry.
 */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const queries = useQueryErrorResetBoundary()
  const refusal = error instanceof ApiError && refusals.find((code) => code === error.code)
  if (refusal)
    return (
      <Suspense fallback={<RoutePending />}>
        <SpaceRefused code={refusal} />
      </Suspense>
    )
  return (
    <div className={classes.page}>
      <ErrorState
        error={error}
        retry={() => {
          queries.reset()
          reset()
          void router.invalidate()
        }}
      />
    </div>
  )
}

/** The placeholder of a loading route. */
export function RoutePending() {
  return (
    <div className={classes.page}>
      <SkeletonList />
    </div>
  )
}
