import '@mantine/core/styles/Slider.layer.css'
import '@mantine/core/styles/ColorSwatch.layer.css'
import '@mantine/core/styles/ColorPicker.layer.css'
import '@mantine/core/styles/ColorInput.layer.css'
import { ColorInput, type ColorInputProps, MantineThemeProvider } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import { readColor } from '#shared/fields/color-code.ts'

interface ColorBoxProps extends Omit<ColorInputProps, 'format' | 'onChange' | 'value'> {
  value: string
  /** Called with a colour in canonical form, or with the typed text if it is not a colour. */
  onChange: (value: string) => void
  alpha: boolean
}

/** An input for a colour that is typed, pasted or picked. The typed text is kept until the box loses the focus. */
export function ColorBox({ value, onChange, onBlur, alpha, ...props }: ColorBoxProps) {
  const t = useTranslations('fields.color')
  const [typed, setTyped] = useState(value)
  const shown = meaning(typed) === value ? typed : value
  // `ColorInput` has no props for the labels of its picker.
  const theme = useMemo(() => {
    const labels = { saturationLabel: t('saturation'), hueLabel: t('hue'), alphaLabel: t('opacity') }
    return { components: { ColorPicker: { defaultProps: labels } } }
  }, [t])
  return (
    <MantineThemeProvider theme={theme}>
      <ColorInput
        w={220}
        {...props}
        format={alpha ? 'hexa' : 'hex'}
        fixOnBlur={false}
        placeholder="#rrggbb"
        eyeDropperButtonProps={{ 'aria-label': t('pick') }}
        value={shown}
        onChange={(text) => {
          setTyped(text)
          onChange(meaning(text))
        }}
        onBlur={(event) => {
          setTyped(meaning(shown))
          onBlur?.(event)
        }}
      />
    </MantineThemeProvider>
  )
}

const meaning = (text: string) => readColor(text) ?? text
