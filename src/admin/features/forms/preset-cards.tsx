import { UnstyledButton } from '@mantine/core'
import { useTranslations } from 'use-intl'
import classes from './forms.module.css'
import { type PresetName, presetNames } from './presets.ts'

/** The presets from which a form can start, each with its purpose. */
export function PresetCards({ onChoose }: { onChoose: (preset: PresetName) => void }) {
  const t = useTranslations('forms.presets')
  return (
    <ul className={classes.presets} aria-label={t('label')}>
      {presetNames.map((name) => (
        <li key={name}>
          <UnstyledButton className={classes.preset} onClick={() => onChoose(name)}>
            <span>{t(`${name}.name`)}</span>
            <span>{t(`${name}.text`)}</span>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  )
}
