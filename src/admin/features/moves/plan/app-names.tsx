import { TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import classes from '../moves.module.css'

interface AppNamesProps {
  app: { name: string; uid: string }
  /** The description of the uid input. */
  uidText: string
  readOnly: boolean
  onChange: (app: { name: string; uid: string }) => void
}

/** Inputs for name and uid of the app in a plan. */
export function AppNames({ app, uidText, readOnly, onChange }: AppNamesProps) {
  const t = useTranslations('moves.plan.app')
  return (
    <div className={classes.rowInputs}>
      <TextInput
        label={t('name')}
        value={app.name}
        maxLength={100}
        readOnly={readOnly}
        onChange={({ currentTarget: { value } }) => onChange({ ...app, name: value })}
      />
      <TextInput
        label={t('uid')}
        description={uidText}
        value={app.uid}
        maxLength={64}
        readOnly={readOnly}
        onChange={({ currentTarget: { value } }) => onChange({ ...app, uid: value })}
      />
    </div>
  )
}
