import { Button, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import classes from './moves.module.css'

interface Work {
  isDirty: boolean
  busy: boolean
  canStart: boolean
  start: () => Promise<void>
  save: () => Promise<void>
  reset: () => void
}

interface PlanBarProps {
  work: Work
  /** The plan of one of several apps is started with the others. */
  isPart: boolean
  /** What happens then, or what is in the way. */
  hint: string
}

/** Starts and saves a plan. */
export function PlanBar({ work, isPart, hint }: PlanBarProps) {
  const t = useTranslations('moves.plan')
  const { isDirty, busy, canStart } = work
  return (
    <Group className={classes.bar} gap="sm">
      {!isPart && (
        <Button loading={busy} disabled={!canStart} onClick={() => void work.start()}>
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

/** Back to the move, or to the apps with which this one comes. */
export function BackFromPlan({ p, id, partOf }: { p: string; id: string; partOf: string | null }) {
  const t = useTranslations('moves.plan')
  const to = partOf === null ? `/${p}/-/moves/${id}` : `/${p}/-/moves/${partOf}/plan`
  return (
    <Button variant="default" component={Link} {...{ to }}>
      {partOf === null ? t('back') : t('apps.backToApps')}
    </Button>
  )
}

/** What is said beside the buttons of the plan of one app. */
export function usePlanHint(): (work: Work, name: string, partOf: string | null) => string {
  const t = useTranslations('moves.plan')
  return ({ canStart }, name, partOf) =>
    partOf !== null ? t('apps.partText', { name }) : t(canStart ? 'startText' : 'cannotStart')
}
