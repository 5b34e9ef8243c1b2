import { Alert, Button, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import type { AnyMovePlan, CarriedCorrections, MoveCorrections } from '#shared/contract/move-plans.ts'
import type { Move } from '#shared/contract/moves.ts'
import { Facts } from '../facts.tsx'
import classes from '../moves.module.css'
import { canStart } from '../moves.queries.ts'
import { AppNames } from './app-names.tsx'
import { otherProblems } from './confirm-source.tsx'
import { MovePlanProblems } from './move-plan-problems.tsx'
import { isUnconfirmed, type MovePlanWork } from './use-move-plan-work.ts'

type PlanButtons = Omit<MovePlanWork<unknown>, 'draft' | 'change'>

interface MovePlanFrameProps {
  work: PlanButtons
  readOnly: boolean
  /**
   * Whether the plan belongs to one of several apps. Their imports start together from another page, so this page has
   * no start button.
   */
  isPart?: boolean
  /** The text next to the buttons: the next step, or the reason why the import cannot start. */
  hint: string
  children: ReactNode
}

/** The frame of a plan: the guard against losing unsaved changes, errors, and the buttons to save and start. */
export function MovePlanFrame({ work, readOnly, isPart = false, hint, children }: MovePlanFrameProps) {
  const { isDirty, busy, problem } = work
  return (
    <>
      <UnsavedGuard when={isDirty && !busy} />
      {children}
      {problem && (
        <Alert color="red" variant="light" mt="md" role="alert">
          {problem}
        </Alert>
      )}
      {!readOnly && <Bar work={work} isPart={isPart} hint={hint} />}
    </>
  )
}

function Bar({ work, isPart, hint }: { work: PlanButtons; isPart: boolean; hint: string }) {
  const t = useTranslations('moves.plan')
  const { isDirty, busy } = work
  return (
    <Group className={classes.bar} gap="sm">
      {!isPart && (
        <Button loading={busy} disabled={!work.canStart} onClick={() => void work.start()}>
          {t('start')}
        </Button>
      )}
      <Button
        variant={isPart ? 'filled' : 'default'}
        disabled={!isDirty || busy}
        onClick={() => void work.save()}
      >
        {t('save')}
      </Button>
      <Button variant="subtle" color="gray" disabled={!isDirty || busy} onClick={work.reset}>
        {t('reset')}
      </Button>
      <Text size="sm" c="dimmed" className={classes.barText ?? ''}>
        {hint}
      </Text>
    </Group>
  )
}

/** A link back to the migration, or to the plan of several apps. */
export function BackFromMovePlan({ p, move: { _id, partOf } }: { p: string; move: Move }) {
  const t = useTranslations('moves.plan')
  const to = partOf === null ? `/${p}/-/moves/${_id}` : `/${p}/-/moves/${partOf}/plan`
  return (
    <Button variant="default" component={Link} {...{ to }}>
      {partOf === null ? t('back') : t('apps.backToApps')}
    </Button>
  )
}

interface AppPlanProps<Corrections extends MoveCorrections | CarriedCorrections> {
  p: string
  move: Move
  plan: AnyMovePlan
  work: MovePlanWork<Corrections>
  text: string
  uidText: string
  facts: Parameters<typeof Facts>[0]['facts']
  /** Information about the source. */
  about?: ReactNode
  /** Choices in addition to the app's names. */
  choices?: ReactNode
  children: ReactNode
}

/** The page of the plan of one app. */
export function AppMovePlan<Corrections extends MoveCorrections | CarriedCorrections>(
  props: AppPlanProps<Corrections>,
) {
  const { p, move, plan, work, text, uidText, facts, about, choices, children } = props
  const t = useTranslations('moves.plan')
  const { draft, change } = work
  const isPart = move.partOf !== null
  const hint = isPart
    ? t('apps.partText', { name: draft.app.name })
    : t(isUnconfirmed(draft) ? 'confirm.cannotStart' : work.canStart ? 'startText' : 'cannotStart')
  const readOnly = !canStart(move)
  return (
    <Page title={t('title')} description={text} actions={<BackFromMovePlan p={p} move={move} />}>
      <MovePlanFrame work={work} readOnly={readOnly} isPart={isPart} hint={hint}>
        <Facts facts={facts} />
        {about}
        <MovePlanProblems problems={otherProblems(plan.problems)} plan={plan} />
        <Section title={t('app.title')} description={t('app.text')}>
          <AppNames
            app={draft.app}
            uidText={uidText}
            readOnly={readOnly}
            onChange={(app) => change((before) => ({ ...before, app }))}
          />
          {choices}
        </Section>
        {children}
      </MovePlanFrame>
    </Page>
  )
}
