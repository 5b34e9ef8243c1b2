import { Stack, type StackProps } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './form-stack.module.css'

interface FormStackProps extends Pick<StackProps, 'role' | 'aria-labelledby'> {
  children: ReactNode
}

/** The inputs and buttons of a form below each other. The gaps have space for a message of one line at each input. */
export function FormStack(props: FormStackProps) {
  return <Stack className={classes.stack ?? ''} {...props} />
}
