import { Alert, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { useFileSize } from '#admin/ui/file-size.ts'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import { isCarried, type MoveCorrections, type MovePlan } from '#shared/contract/move-plans.ts'
import { AppNames } from './app-names.tsx'
import { CarriedPlanPage } from './carried-plan.tsx'
import classes from './moves.module.css'
import { canStart, movePlanQuery, moveQuery } from './moves.queries.ts'
import { BackFromPlan, PlanBar, usePlanHint } from './plan-bar.tsx'
import { correctionsOf, type PlannedPart, replaced } from './plan-draft.ts'
import { PlanProblems } from './plan-problems.tsx'
import { PlannedPartCard } from './planned-part.tsx'
import { SeveralPlanPage } from './several-plan.tsx'
import { usePlanWork } from './use-plan-work.ts'

const route = getRouteApi('/signed-in/$p/-/moves/$move/plan')

/** `/{p}/-/moves/{move}/plan` */
export function PlanPage() {
  const t = useTranslations('moves.plan')
  const { p, move: id } = route.useParams()
  const move = useQuery(moveQuery({ p, a: null }, id))
  const isSeveral = (move.data?.apps.length ?? 0) > 0
  // That of several apps is the plans of these.
  const plan = useQuery({ ...movePlanQuery(p, id), enabled: move.data !== undefined && !isSeveral })
  const error = plan.error ?? move.error
  if (move.data && isSeveral) return <SeveralPlanPage key={id} p={p} move={move.data} />
  if (!plan.data || !move.data)
    return (
      <Page title={t('title')}>
        {error ? <ErrorState error={error} retry={() => void plan.refetch()} /> : <SkeletonList />}
      </Page>
    )
  const own = { p, id, partOf: move.data.partOf, readOnly: !canStart(move.data) }
  return isCarried(plan.data) ? (
    <CarriedPlanPage key={id} {...own} plan={plan.data} />
  ) : (
    <Plan key={id} {...own} plan={plan.data} />
  )
}

interface PlanProps {
  p: string
  id: string
  partOf: string | null
  plan: MovePlan
  readOnly: boolean
}

function Plan({ p, id, partOf, plan, readOnly }: PlanProps) {
  const t = useTranslations('moves.plan')
  const source = useTranslations('moves.sources.names')
  const format = useFormatter()
  const size = useFileSize()
  const work = usePlanWork(p, id, plan, correctionsOf)
  const { draft, change, isDirty, busy, problem } = work
  const hint = usePlanHint()
  const { documents, assets, bytes } = plan.counts
  // Sites of Newt know models and fields by the uids that they had there.
  const hasOwnUids = plan.source.kind === 'newt'
  return (
    <Page title={t('title')} description={t('text')} actions={<BackFromPlan p={p} id={id} partOf={partOf} />}>
      <UnsavedGuard when={isDirty && !busy} />
      <dl className={classes.facts}>
        {[
          [t('counts.source'), source(plan.source.kind)],
          [t('counts.models'), format.number(plan.models.length)],
          [t('counts.documents'), format.number(documents)],
          [t('counts.assets'), `${format.number(assets)} (${size(bytes)})`],
        ].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <PlanProblems problems={plan.problems} plan={plan} />
      <Section title={t('app.title')} description={t('app.text')}>
        <AppNames
          app={draft.app}
          uidText={t('app.uidText')}
          readOnly={readOnly}
          onChange={(app) => change({ app })}
        />
      </Section>
      <Parts
        title={t('models')}
        parts={draft.models}
        plan={draft}
        hasOwnUids={hasOwnUids}
        readOnly={readOnly}
        onChange={(models) => change({ models: models as MovePlan['models'] })}
      />
      {draft.customTypes.length > 0 && (
        <Parts
          title={t('customTypes')}
          parts={draft.customTypes}
          plan={draft}
          hasOwnUids={hasOwnUids}
          readOnly={readOnly}
          onChange={(customTypes) => change({ customTypes: customTypes as MovePlan['customTypes'] })}
        />
      )}
      {problem && (
        <Alert color="red" variant="light" mt="md" role="alert">
          {problem}
        </Alert>
      )}
      {!readOnly && (
        <PlanBar work={work} isPart={partOf !== null} hint={hint(work, draft.app.name, partOf)} />
      )}
    </Page>
  )
}

interface PartsProps {
  title: string
  parts: readonly PlannedPart[]
  plan: MoveCorrections
  /** uids that others rely on are not to be changed. */
  hasOwnUids: boolean
  readOnly: boolean
  onChange: (parts: PlannedPart[]) => void
}

function Parts({ title, parts, plan, hasOwnUids, readOnly, onChange }: PartsProps) {
  return (
    <Section title={title}>
      <Stack gap="sm">
        {parts.map((part, index) => (
          <PlannedPartCard
            key={part.from ?? part.uid}
            part={part}
            plan={plan}
            hasOwnUids={hasOwnUids}
            readOnly={readOnly}
            onChange={(changed) => onChange(replaced(parts, index, changed))}
          />
        ))}
      </Stack>
    </Section>
  )
}
