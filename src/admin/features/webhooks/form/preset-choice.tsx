import { UnstyledButton } from '@mantine/core'
import { useTranslations } from 'use-intl'
import classes from '../webhooks.module.css'
import { type PresetName, presetNames, presets } from './presets.ts'

export type Choice = PresetName | 'own'

/** The services to choose from, in groups, and the choice without a preset. */
export function PresetChoice({ onChoose }: { onChoose: (choice: Choice) => void }) {
  const t = useTranslations('webhooks.presets')
  return (
    <>
      {(['build', 'chat'] as const).map((kind) => (
        <section key={kind} className={classes.presets} aria-labelledby={`presets-${kind}`}>
          <h2 id={`presets-${kind}`}>{t(`kinds.${kind}`)}</h2>
          <p>{t(`kindTexts.${kind}`)}</p>
          <div>
            {presetNames
              .filter((name) => presets[name].kind === kind)
              .map((name) => (
                <UnstyledButton key={name} className={classes.preset} onClick={() => onChoose(name)}>
                  {presets[name].name}
                </UnstyledButton>
              ))}
          </div>
        </section>
      ))}
      <section className={classes.presets} aria-labelledby="presets-own">
        <h2 id="presets-own">{t('kinds.own')}</h2>
        <p>{t('kindTexts.own')}</p>
        <div>
          <UnstyledButton className={classes.preset} onClick={() => onChoose('own')}>
            {t('own')}
          </UnstyledButton>
        </div>
      </section>
    </>
  )
}
