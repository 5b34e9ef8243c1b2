import { Alert, Checkbox } from '@mantine/core'
import { IconFileUnknown } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import type { MoveProblem } from '#shared/contract/move-plans.ts'
import classes from '../moves.module.css'

interface ConfirmSourceProps {
  confirmed: boolean
  readOnly: boolean
  onChange: (confirmed: boolean) => void
}

/** Asks the user to confirm the import of a file that is not an export of a supported service. */
export function ConfirmSource({ confirmed, readOnly, onChange }: ConfirmSourceProps) {
  const t = useTranslations('moves.plan.confirm')
  return (
    <Alert
      className={classes.alert ?? ''}
      classNames={{ title: classes.alertTitle ?? '' }}
      color={confirmed ? 'gray' : 'red'}
      variant="light"
      icon={<IconFileUnknown aria-hidden="true" />}
      title={t('title')}
    >
      {t('text')}
      <Checkbox
        mt="sm"
        label={t('label')}
        checked={confirmed}
        disabled={readOnly}
        onChange={({ currentTarget: { checked } }) => onChange(checked)}
      />
    </Alert>
  )
}

/** Returns the problems of a plan except the one that {@link ConfirmSource} shows. */
export const otherProblems = (problems: readonly MoveProblem[]): MoveProblem[] =>
  problems.filter(({ code }) => code !== 'unconfirmedSource')
