import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { useTranslations } from 'use-intl'
import { Page } from '#admin/ui/page.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { AnyMovePlan } from '#shared/contract/move-plans.ts'
import type { Move, MoveKind } from '#shared/contract/moves.ts'
import { movePlanQuery, moveQuery } from '../moves.queries.ts'
import { CarriedAppPlan } from './carried-plan.tsx'
import { ContentsPlan } from './contents-plan.tsx'
import { SeveralPlanPage } from './several-plan.tsx'

type PlanScreen = ComponentType<{ p: string; move: Move }>

/**
 * The plan pages by kind of migration. Updates and imports into an app have no plan: the server refuses the request.
 */
const plans: Record<MoveKind, PlanScreen> = {
  unknown: ofApp(ContentsPlan),
  contents: ofApp(ContentsPlan),
  carried: ofApp(CarriedAppPlan),
  several: SeveralPlanPage,
  update: ofApp(ContentsPlan),
  import: ofApp(ContentsPlan),
}

const route = getRouteApi('/signed-in/$p/settings/-/moves/$move/plan')

/** `/{p}/-/moves/{move}/plan` */
export function MovePlanPage() {
  const { p, move: id } = route.useParams()
  const { data: move, error, refetch } = useQuery(moveQuery({ p, a: null }, id))
  if (!move) return <Loading error={error} retry={() => void refetch()} />
  const Plan = plans[move.kind]
  return <Plan key={id} p={p} move={move} />
}

function Loading({ error, retry }: { error: Error | null; retry: () => void }) {
  const t = useTranslations('moves.plan')
  return (
    <Page title={t('title')}>{error ? <ErrorState error={error} retry={retry} /> : <SkeletonList />}</Page>
  )
}

/** Returns a page that loads the plan of a migration of one app. */
function ofApp<Plan extends AnyMovePlan>(
  Content: ComponentType<{ p: string; move: Move; plan: Plan }>,
): PlanScreen {
  return function LoadedPlan({ p, move }) {
    const { data, error, refetch } = useQuery(movePlanQuery(p, move._id))
    if (!data) return <Loading error={error} retry={() => void refetch()} />
    return <Content p={p} move={move} plan={data as Plan} />
  }
}
