import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import classes from '#admin/ui/page.module.css'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'

/** A page whose data or script could not be loaded. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const queries = useQueryErrorResetBoundary()
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

/** A page that takes a moment. */
export function RoutePending() {
  return (
    <div className={classes.page}>
      <SkeletonList />
    </div>
  )
}
